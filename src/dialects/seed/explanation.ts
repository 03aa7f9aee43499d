import type { components } from '../../generated/api.d.ts';
import { identityOf } from '../../identity/principal.ts';
import { judgementsOf, type Judgement } from '../../planner/explain/explain.ts';
import type { BookSummary } from '../../planner/plan/book-summary.ts';
import { reasonsOf } from '../../planner/record/kept-reasons.ts';
import { shownInputs, shownSteps, type Explained } from '../../planner/explain/explained.ts';
import { amountsOf, gibibytes } from './calendar.ts';
import { printAllReasons } from './print-reasons.ts';
import { printInstant } from '../../words/iso8601.ts';

type Explanation = components['schemas']['Explanation'];

/** How an answer was come to, on the wire. */
export function printExplanation(explained: Explained, base: string): Explanation {
  const { kept, replay, offers } = explained;
  const trace = shownSteps(explained);
  return {
    ident: kept.id,
    asked: kept.createdAt.toISOString(),
    identity: identityOf(kept.owner, kept.ownerName),
    result: kept.result,
    rules: { digest: kept.rulesDigest, replay },
    inputs: shownInputs(explained),
    ...(kept.inputs?.book === undefined ? {} : { book: printBook(kept.inputs.book) }),
    candidates: judgementsOf(trace).map(printJudgement),
    trace: trace.map((step) => ({ ...step })),
    offers: offers.map(({ id, state, destination, startsAt }) => ({
      ident: id,
      href: `${base}/offers/${id}`,
      status: state,
      destination,
      start: startsAt.toISOString(),
    })),
    reasons: printAllReasons(reasonsOf(kept.reasons).reasons),
  };
}

function printBook({ now, read, roomy }: BookSummary): NonNullable<Explanation['book']> {
  return {
    time: printInstant(now),
    read: read.map(({ destination, gpus, results, ...free }) => ({
      destination,
      free: {
        ...amountsOf({ ...free, gpus: new Map(Object.entries(gpus)) }),
        ...(results === undefined ? {} : { results: gibibytes(results) }),
      },
    })),
    roomy: [...roomy],
  };
}

function printJudgement({
  destination,
  verdict,
  rank,
  score,
  reasons,
}: Judgement): Explanation['candidates'][number] {
  return {
    destination,
    verdict,
    ...(rank === undefined ? {} : { rank }),
    ...(score === undefined ? {} : { score }),
    reasons: [...reasons],
  };
}
