import { gathered } from '../live/gathered.ts';
import { isLive, onChange } from '../live/changes.ts';
import { isSeen } from '../live/visible.ts';
import { conversation, readOffers, readOpenOffers } from '../ask/conversation.ts';

/** Where changes are not told: other tabs and programs of the user ask, too. */
const AGAIN_MS = 30_000;
/** An answer has up to four offers, which change together. */
const TOGETHER_MS = 100;

/** Keeps the open offers, and those on the screen, as they are at the service. */
export function followOffers(): void {
  const readOpen = gathered(TOGETHER_MS, () => void readOpenOffers());
  const readShown = gathered(TOGETHER_MS, () => void readOffers());
  onChange((change) => {
    if (change.kind === 'start') {
      readOpen.call();
      readShown.call();
    }
    if (change.kind !== 'offer') return;
    readOpen.call();
    if (change.state !== 'OFFERED' && isShown(change.id)) readShown.call();
  });
  void readOpenOffers();
  setInterval(() => {
    if (isSeen.value && !isLive.value) void readOpenOffers();
  }, AGAIN_MS);
}

function isShown(ident: string): boolean {
  const { value: now } = conversation;
  return now.kind === 'yes' && now.offers.some(({ offer }) => offer.ident === ident);
}
