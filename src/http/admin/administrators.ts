import type { Request } from 'express';
import { Problem } from '../../words/problem.ts';
import { principalOf } from '../identified.ts';

/**
 * @param what begin of a sentence: `The audit trail is`
 * @returns the owner column of the administrator
 * @throws Problem `administrators-only` (403)
 */
export function requireAdministrator(request: Request, what: string): string {
  const principal = principalOf(request);
  if (principal.kind === 'user' && principal.administrator) return principal.owner;
  throw new Problem('administrators-only', `${what} for administrators of the site.`);
}
