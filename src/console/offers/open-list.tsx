import { seenName } from '../lists/seen-name.ts';
import { WORDS } from '../words.ts';
import { giveBack, heldNow, type HeldOffer } from '../ask/conversation.ts';
import { Countdown } from './countdown.tsx';
import { underWay } from './deciding.ts';
import { kindTitle } from '../ask/kind-title.ts';

/** Open offers of asks that the page does not show, so that nobody forgets them. */
export function OpenOffers() {
  const words = WORDS.offers;
  const groups = Map.groupBy(heldNow.value, ({ offer }) => offer.ask ?? offer.ident);
  if (groups.size === 0) return null;
  return (
    <section class="card" aria-labelledby="open">
      <h2 id="open">{words.openTitle}</h2>
      <p>{words.openText}</p>
      <ul class="plain examples">
        {[...groups].map(([ask, all]) => (
          <OpenAnswer key={ask} ask={ask} all={all} />
        ))}
      </ul>
    </section>
  );
}

function OpenAnswer({ ask, all }: { readonly ask: string; readonly all: readonly HeldOffer[] }) {
  const words = WORDS.offers;
  const what = words.openOf(titleOf(all[0]), all.length);
  const give = underWay.value === ask ? WORDS.shell.busy(words.giveBack) : words.giveBack;
  return (
    <li class="row">
      <span class="grow">{what}</span>
      <Countdown end={Math.min(...all.map(({ end }) => end))} />
      <a class="button" href={`#/asks/${ask}`} aria-label={`${words.see} ${what}`}>
        {words.see}
      </a>
      <button
        type="button"
        aria-label={`${give} ${what}`}
        aria-disabled={underWay.value !== undefined}
        onClick={() => void giveBack(ask, all)}
      >
        {give}
      </button>
    </li>
  );
}

function titleOf(held: HeldOffer | undefined): string {
  const { name, task } = held?.offer.request ?? {};
  return seenName(name) ?? kindTitle(task?.type ?? '');
}
