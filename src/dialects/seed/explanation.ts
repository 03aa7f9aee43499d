import type { components } from '../../generated/api.d.ts';
import { identityOf } from '../../identity/principal.ts';
import { judgementsOf, type Judgement } from '../../planner/explain/explain.ts';
import type { BookSummary } from '../../planner/plan/book-summary.ts';
import { reasonsOf } from '../../planner/record/kept-reasons.ts';
import { shownInputs, shownSteps, type Explained } from '../../planner/explain/explained.ts';
import { drawnCapacity, drawnGibibytes } from '../../planner/plan/drawn.ts';
import { printEnvironment } from './print.ts';
import { printAllReasons } from './print-reasons.ts';
import { printInstant } from '../../words/iso8601.ts';

type Explanation = components['schemas']['Explanation'];

/** How an answer came about, on the wire. */
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
    ...(kept.inputs?.book !== undefined && { book: printBook(kept.inputs.book) }),
    candidates: judgementsOf(trace).map(printJudgement),
    trace: trace.map((step) => ({ ...step })),
    offers: offers.map(({ id, state, destination, startsAt, promise }) => ({
      ident: id,
      href: `${base}/offers/${id}`,
      status: state,
      destination,
      ...printEnvironment(promise),
      start: startsAt.toISOString(),
    })),
    reasons: printAllReasons(reasonsOf(kept.reasons).reasons),
  };
}

const REPLAYS: Readonly<Record<Explanation['rules']['replay'], string>> = {
  same: 'still in force; decided again, they take the same steps',
  different: 'still in force; decided again, they take other steps',
  'rules-changed': 'other rule files are in force now',
  'not-decided': 'they were not asked, since the ask was not understood',
  failed: 'still in force, but they could not be evaluated now',
};

/** An explanation for people, with the steps as TPV prints them. */
export async function explanationText(
  document: Explanation,
  explained: Explained,
): Promise<string> {
  const steps = shownSteps(explained);
  // Loaded when needed: it is a part of the engine that the planner does not load otherwise.
  const { renderTrace } = await import('../../vortex/explain/trace-text.ts');
  const { ident, asked, result, rules, reasons, offers } = document;
  const list = (title: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`), ''];
  return [
    `Ask ${ident} of ${whose(document)} at ${asked}, answered ${result}`,
    `Rules ${rules.digest}: ${REPLAYS[rules.replay]}`,
    '',
    ...(steps.length === 0 ? [] : [renderTrace(steps)]),
    ...list(
      'Offers',
      offers.map(
        ({ ident: offer, destination, environment, python, note, start, status }) =>
          `${offer} at ${destination}` +
          (environment === undefined ? '' : `, in ${environment} with Python ${python}`) +
          ` from ${start}: ${status}` +
          (note === undefined ? '' : `. ${note}`),
      ),
    ),
    ...list(
      result === 'YES' ? 'Destinations without an offer' : 'Reasons',
      reasons.map(({ code, text }) => `${code}: ${text}`),
    ),
  ].join('\n');
}

function printBook({ now, read, roomy }: BookSummary): NonNullable<Explanation['book']> {
  return {
    time: printInstant(now),
    read: read.map(({ destination, gpus, results, ...free }) => ({
      destination,
      free: {
        ...drawnCapacity({ ...free, gpus: new Map(Object.entries(gpus)) }),
        ...(results !== undefined && { results: drawnGibibytes(results) }),
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
    ...(rank !== undefined && { rank }),
    ...(score !== undefined && { score }),
    reasons: [...reasons],
  };
}

function whose({ identity }: Explanation): string {
  return identity.type === 'anonymous' ? 'nobody in particular' : (identity.user ?? identity.type);
}
