import type { Database } from '../../db/client.ts';
import { ownerOf, type Principal } from '../../identity/principal.ts';
import type { Dialect, PrintableOffer, ToldAnswer } from '../../planner/dialect.ts';
import type { Reason } from '../../planner/reasons.ts';
import { acceptOffer } from '../../planner/record/update-offer.ts';
import type { Site } from '../../site/site.ts';
import type { JobId } from '../../words/ids.ts';
import { Problem } from '../../words/problem.ts';
import { destroyed } from './offer-updates.ts';
import { tryLater } from './try-later.ts';

export type StartedBy = 'AUTO' | 'CLIENT';

export type JobAnswerParts = {
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
  parts: JobAnswerParts,
  answer: ToldAnswer,
  dialect: Dialect,
  principal: Principal,
  start: StartedBy,
): Promise<JobId> {
  if ('reasons' in answer) throw refused(answer.reasons, dialect);
  return acceptOffered(parts, answer.kind === 'yes' ? answer.offers : [], principal, start);
}

/** The job of the first of these offers. @see acceptFirst */
export async function acceptOffered(
  { database, site, decided }: JobAnswerParts,
  [first]: readonly PrintableOffer[],
  principal: Principal,
  start: StartedBy,
): Promise<JobId> {
  if (first === undefined) throw new Error('a YES has no offer that can be accepted');
  const { id } = first;
  const { queueLimit, keepResults } = site().offers;
  const terms = { start, queueLimit, keepResults };
  const became = await acceptOffer(database, id, ownerOf(principal), terms);
  decided(`accepted:${became.verdict}`);
  switch (became.verdict) {
    case 'accepted':
    case 'again':
      return id;
    case 'sibling':
      return became.winner ?? id;
    case 'destroyed':
      throw destroyed(id, became.state);
    case 'expired':
    case 'illegal':
    case 'unknown':
    case 'mismatch':
      throw new Problem(
        'offer-not-accepted',
        `Offer ${id}, which was made for this job, is ${became.verdict}; send the description again.`,
      );
    default:
      return became satisfies never;
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
