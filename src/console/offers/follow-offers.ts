import { effect } from '@preact/signals';
import { gathered } from '../live/gathered.ts';
import { isLive, onChange } from '../live/changes.ts';
import { isSeen } from '../live/visible.ts';
import { conversation, readOffers, readOpenOffers } from '../ask/conversation.ts';

/** Where changes are not told: other tabs and programs of the user ask, too. */
const AGAIN_MS = 30_000;
const REFUSED_MS = 5000;
/** An answer has up to four offers, which change together. */
const TOGETHER_MS = 100;
/** Other programs may have any number. */
const MOST_NOTED = 1000;

/** Keeps the open offers, and those on the screen, as they are at the service. */
export function followOffers(): void {
  const readOpen = gathered(TOGETHER_MS, () => void readOpenOffers());
  const readShown = gathered(TOGETHER_MS, () => {
    void readOffers().then((isDone) => {
      if (!isDone) tryAgain.call();
    });
  });
  // A busy service refuses, and does not tell the change once more.
  const tryAgain = gathered(REFUSED_MS, readShown.call);
  /** offers that ended, perhaps while an answer with them was on its way here */
  const ended = new Set<string>();
  /** jobs that changed before */
  const jobs = new Set<string>();
  effect(() => {
    if (shownOffers().filter((ident) => ended.delete(ident)).length > 0) readShown.call();
  });
  onChange((change) => {
    if (change.kind === 'book' || (change.kind === 'job' && jobs.has(change.id))) return;
    readOpen.call();
    if (change.kind === 'start') return readShown.call();
    // Of an offer that is accepted soon after it was made only its job tells, which has its id.
    if (change.kind === 'job') note(jobs, change.id);
    else if (change.state === 'OFFERED') return;
    if (shownOffers().includes(change.id)) readShown.call();
    else note(ended, change.id);
  });
  void readOpenOffers();
  setInterval(() => {
    if (!isSeen.value || isLive.value) return;
    readOpen.call();
    readShown.call();
  }, AGAIN_MS);
}

function note(idents: Set<string>, ident: string): void {
  if (idents.size >= MOST_NOTED) idents.clear();
  idents.add(ident);
}

function shownOffers(): readonly string[] {
  const { value: now } = conversation;
  return now.kind === 'yes' ? now.offers.map(({ offer }) => offer.ident) : [];
}
