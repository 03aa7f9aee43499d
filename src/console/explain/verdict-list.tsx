import type { Documents } from '../contract.ts';
import { amountsText, sentenceOf } from '../ask/grouped.ts';
import { shown } from '../time.ts';
import { WORDS } from '../words.ts';
import { EXPLANATION } from '../words/explanation.ts';
import { zone } from '../zone.tsx';
import { generalReasons, type Verdict } from './verdicts.ts';

type Reason = Documents['Reason'];
type Props = {
  readonly explanation: Documents['Explanation'];
  readonly verdicts: readonly Verdict[];
};

/** Each destination with what became of it, in the order of preference. */
export function VerdictList({ explanation, verdicts }: Props) {
  const words = EXPLANATION;
  const general = generalReasons(explanation);
  return (
    <section aria-labelledby="verdicts">
      {general.length > 0 && (
        <div class="card">
          <h2>{words.general}</h2>
          <Reasons reasons={general} />
        </div>
      )}
      {verdicts.length > 0 && <h2 id="verdicts">{words.verdicts.title}</h2>}
      <ol class="plain">
        {verdicts.map((verdict) => (
          <li class="card" key={verdict.destination}>
            <VerdictCard verdict={verdict} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function VerdictCard({ verdict }: { readonly verdict: Verdict }) {
  const words = EXPLANATION.verdicts;
  const { destination, kind, rank, score, free } = verdict;
  return (
    <>
      <h3 class="row">
        {destination} <span class={MARKS[kind]}>{TITLES[kind]}</span>
      </h3>
      <Said verdict={verdict} />
      <small>
        {[
          ...(rank === undefined ? [] : [words.choice(rank)]),
          ...(score === undefined ? [] : [words.score(score)]),
        ].join(', ')}
        {free !== undefined && ` ${words.free(words.amounts(free.cores, free.memory))}`}
      </small>
    </>
  );
}

const MARKS = { offered: 'yes', fits: 'neutral', unfit: 'no', stopped: 'no' } as const;
const TITLES = {
  offered: EXPLANATION.verdicts.offered,
  fits: EXPLANATION.verdicts.fits,
  unfit: EXPLANATION.verdicts.unfit,
  stopped: EXPLANATION.verdicts.stopped,
} as const;

function Said({ verdict }: { readonly verdict: Verdict }) {
  const words = EXPLANATION.verdicts;
  switch (verdict.kind) {
    case 'offered':
      return <p>{words.offeredText(shown(Date.parse(verdict.offer.start), zone.value))}</p>;
    case 'fits':
      return verdict.reasons.length === 0 ? (
        <p>{words.enough}</p>
      ) : (
        <>
          <p>{words.but}</p>
          <Reasons reasons={verdict.reasons} />
        </>
      );
    case 'unfit':
      return (
        <>
          <Reasons reasons={verdict.reasons} />
          {verdict.said.length > 0 && (
            <p>
              {verdict.reasons.length > 0 && words.said} {verdict.said.join('; ')}
            </p>
          )}
        </>
      );
    case 'stopped':
      return (
        <p>
          {words.stoppedText} {verdict.said.join('; ')}
        </p>
      );
  }
}

function Reasons({ reasons }: { readonly reasons: readonly Reason[] }) {
  if (reasons.length === 0) return null;
  return (
    <ul>
      {reasons.map((reason, index) => (
        <li key={index}>
          {sentenceOf(reason)} {amountsAndTime(reason)}
        </li>
      ))}
    </ul>
  );
}

function amountsAndTime(reason: Reason): string {
  const { earliest } = reason;
  const time =
    earliest === undefined
      ? ''
      : `${WORDS.refusal.earliest} ${shown(Date.parse(earliest), zone.value)}`;
  return [amountsText(reason), time].filter(Boolean).join(', ');
}
