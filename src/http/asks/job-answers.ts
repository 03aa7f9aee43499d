import type { Database } from '../../db/client.ts';
import { ownerOf, type Principal } from '../../identity/principal.ts';
import type { Dialect, ToldAnswer } from '../../planner/dialect.ts';
import type { Reason } from '../../planner/reasons.ts';
import { acceptOffer } from '../../planner/record/update-offer.ts';
import type { Site } from '../../site/site.ts';
import { parseOfferId, type JobId, type OfferId } from '../../words/ids.ts';
import { Problem } from '../../words/problem.ts';
import { destroyed } from './offer-updates.ts';
import { tryLater } from './try-later.ts';

export type StartedBy = 'AUTO' | 'CLIENT';

type JobAnswerParts = {
  readonly database: Database;
  readonly site: () => Site;
  readonly decided: (verdict: string) => void;
};

/**
 * The job of an answer: its first offer is accepted. If the same request came before, it is the
 * job that exists already.
 *
 * @throws Problem `job-refused` for a NO, `offer-not-accepted`, `job-destroyed`
 */
export async function acceptFirst(
  { database, site, decided }: JobAnswerParts,
  answer: ToldAnswer,
  dialect: Dialect,
  principal: Principal,
  start: StartedBy,
): Promise<JobId> {
  if ('reasons' in answer) throw refused(answer.reasons, dialect);
  const id = firstOf(answer);
  const { queueLimit, keepResults } = site().offers;
  const { verdict, state, winner } = await acceptOffer(database, id, ownerOf(principal), {
    start,
    queueLimit,
    keepResults,
  });
  decided(`accepted:${verdict}`);
  switch (verdict) {
    case 'accepted':
    case 'again':
      return id;
    case 'sibling':
      return winner ?? id;
    case 'destroyed':
      throw destroyed(id, state);
    case 'expired':
    case 'illegal':
    case 'unknown':
    case 'mismatch':
      throw new Problem(
        'offer-not-accepted',
        `Offer ${id}, which was made for this job, is ${verdict}; send the description again.`,
      );
    default:
      return verdict satisfies never;
  }
}

function refused(grouped: readonly Reason[], dialect: Dialect): Problem {
  const reasons = dialect.printReasons(grouped);
  const lines = reasons.map(({ code, path, text }) => `\n- ${path}: ${text} [${code}]`).join('');
  return new Problem('job-refused', `The planner says no.${lines}`, {
    errors: reasons.map(({ path, text }) => ({ path, text })),
    headers: tryLater(grouped),
  });
}

function firstOf(answer: ToldAnswer): OfferId {
  const id = answer.kind === 'yes' ? parseOfferId(answer.offers[0]?.id ?? '') : undefined;
  if (id === undefined) throw new Error('a YES has no offer that can be accepted');
  return id;
}
