import type { Site } from '../../site/site.ts';
import type { Admissions, WeighedCandidate, Weighing } from '../../vortex/index.ts';
import type { Ask } from '../ask.ts';
import type { Refusal } from '../refusal.ts';
import { refusedAlike } from './alike.ts';
import { judge, type Judged, type Suitable } from './candidate.ts';
import { verdictObjection } from './rule-objections.ts';
import { withoutMissing } from './storing.ts';

/** The destinations that could take an ask, in the rules' order, and why the others cannot. */
export type PlanShortlist = {
  readonly suitable: readonly Suitable[];
  /** why the other destinations refuse; lazy, since only a NO needs it */
  readonly refusals: () => readonly Refusal[];
  /** why some destinations that match have no offer of a YES: the site or one of their rules */
  readonly passedOver: () => readonly Refusal[];
  /** were the rules asked about all destinations that match? */
  readonly isWhole: boolean;
};

/**
 * Judges every destination by the rules and the site; this needs no book.
 *
 * @param admissions tell why destinations do not match, once the rules were asked about all others
 */
export function shortlist(
  ask: Ask,
  site: Site,
  weighing: Weighing,
  admissions?: Admissions,
): PlanShortlist {
  if (weighing.kind === 'stopped')
    return {
      suitable: [],
      refusals: () => [verdictObjection(weighing.verdict)],
      passedOver: () => [],
      isWhole: true,
    };
  const { rest, refusals } = withoutMissing(ask);
  const judgeAll = (candidates: readonly WeighedCandidate[]): readonly Judged[] =>
    candidates.filter(isConcrete).map((candidate) => judge(rest, site, candidate));
  const judged = judgeAll(weighing.candidates);
  const refusalsOfAll = (all: readonly Judged[]): readonly Refusal[] =>
    all.flatMap((one) => (one.ok ? [] : one.refusals));
  const refusalsOfOthers = (): readonly Refusal[] =>
    admissions === undefined || !weighing.isWhole || weighing.sought === null
      ? []
      : refusedAlike(admissions, site, weighing.sought).flatMap(({ candidate, alike }) =>
          refusalsOfAll([judge(rest, site, candidate)]).map((one) => ({ ...one, alike })),
        );
  return {
    suitable: judged.flatMap((one) => (one.ok && refusals.length === 0 ? [one.suitable] : [])),
    refusals: () => [...refusals, ...refusalsOfAll(judged), ...refusalsOfOthers()],
    passedOver: () => refusalsOfAll(judged),
    isWhole: weighing.isWhole,
  };
}

/** Abstract destinations are templates of the rule files; they are not reported as refusals. */
function isConcrete(candidate: WeighedCandidate): boolean {
  return (
    candidate.kind !== 'refused' ||
    !candidate.clauses.some(({ code }) => code === 'destination-abstract')
  );
}
