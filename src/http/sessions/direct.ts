import type { SessionWords } from '../../planner/session.ts';
import type { Purpose } from '../asks/answer-asks.ts';
import { acceptOffered, type JobAnswerParts } from '../asks/job-answers.ts';
import { readSession } from './reading.ts';

/**
 * Asks whose first offer is accepted at once, in the name of the client. A request that came before
 * may be a Problem `offer-not-accepted` or `job-destroyed`.
 */
export function directAsks({ printDirect }: SessionWords, parts: JobAnswerParts): Purpose {
  return {
    mayBeDry: false,
    tell: async ({ answer, asking: { document }, principal, base }) => {
      if (answer.kind === 'no') return printDirect(answer, document, base);
      if (answer.kind !== 'yes') throw new Error('a dry run accepts nothing');
      const id = await acceptOffered(parts, answer.offers, principal, 'AUTO');
      const offer = await readSession(parts.database, id, principal);
      return printDirect({ kind: 'accepted', offer }, document, base);
    },
  };
}
