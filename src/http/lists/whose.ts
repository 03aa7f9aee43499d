import type { Request, Response } from 'express';
import type { Database } from '../../db/client.ts';
import { ownersNamed, type Whose } from '../../identity/owners.ts';
import { ownerOf } from '../../identity/principal.ts';
import { queryOf } from '../../uws/read/control.ts';
import { Problem } from '../../words/problem.ts';
import { isAdministrator } from '../asks/offer-updates.ts';
import { principalOf } from '../identified.ts';

/** What lists of asks and of offers need. */
export type ListParts = {
  readonly database: Database;
  readonly baseUrl: (request: Request) => string;
};

/**
 * Whose records a client wants: its own, or with `owner` those of others.
 * @throws Problem `administrators-only` (403)
 */
export async function whoseWanted(database: Database, request: Request): Promise<Whose> {
  const principal = principalOf(request);
  const owner = request.query['owner'];
  if (owner === undefined) return [ownerOf(principal)];
  if (isAdministrator(principal)) return ownersNamed(database, String(owner));
  throw new Problem(
    'administrators-only',
    'The parameter owner is for administrators. Without it, the list shows what is yours.',
  );
}

/** Names the next page for clients that follow links (RFC 8288). @param next its cursor */
export function tellNext(
  { baseUrl }: Pick<ListParts, 'baseUrl'>,
  request: Request,
  response: Response,
  next: string | undefined,
): void {
  if (next === undefined) return;
  const searchParams = queryOf(request.url);
  searchParams.set('after', next);
  response.set('Link', `<${baseUrl(request)}${request.path}?${searchParams}>; rel="next"`);
}
