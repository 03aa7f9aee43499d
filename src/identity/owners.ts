import type { Database } from '../db/client.ts';
import { localOwner } from './principal.ts';

/** Whose records a list has: those of some owners, or all. */
export type Whose = readonly string[] | 'everybody';

/** What an administrator names to see the records of everybody. */
const EVERYBODY = '*';

/**
 * The owners that a name may mean: the owner column itself, a user of the site's files, and
 * issuers' users of that name; `*` means everybody.
 */
export async function ownersNamed(database: Database, name: string): Promise<Whose> {
  if (name === EVERYBODY) return 'everybody';
  // PostgreSQL refuses NUL, and no name has it.
  if (name.includes('\u0000') || !name.isWellFormed()) return [];
  const known = await database.identity.findMany({ where: { name }, select: { owner: true } });
  return [...new Set([name, localOwner(name), ...known.map(({ owner }) => owner)])];
}
