import type { Database } from '../../db/client.ts';
import { Prisma } from '../../generated/prisma/client.ts';
import type { Whose } from '../../identity/owners.ts';
import type { AskId, OfferId } from '../../words/ids.ts';
import { LAST_UUID } from './offer-rows.ts';

/** An ask of the records in short, with what became of its offers. */
export type AskRow = {
  readonly ask: AskId;
  readonly owner: string;
  /** the last known name of an issuer's user; null for everybody else */
  readonly ownerName: string | null;
  readonly createdAt: Date;
  readonly result: 'YES' | 'NO';
  /** what its client calls the task */
  readonly name: string | null;
  /** what the rules call the task; null if it was not understood */
  readonly tool: string | null;
  /** best first */
  readonly offers: readonly OfferId[];
  /** how many of them can still be accepted */
  readonly open: number;
  readonly accepted: OfferId | null;
};

/** Asks, the latest first. @param after the list begins after this ask */
export async function listAsks(
  database: Database,
  whose: Whose,
  after: AskId | undefined,
  limit: number,
): Promise<readonly AskRow[]> {
  const place = Prisma.sql`${after ?? LAST_UUID}::uuid`;
  if (whose === 'everybody')
    return database.$queryRaw<readonly AskRow[]>`
      SELECT ${COLUMNS} FROM ${TABLES} WHERE a.id < ${place} ORDER BY a.id DESC LIMIT ${limit}`;
  // The asks of each owner are read in the order of an index. With equality of the owner, PostgreSQL
  // may take the index of all asks and read those of everybody: 70 ms instead of 4.
  return database.$queryRaw<readonly AskRow[]>`
    SELECT e.* FROM unnest(${whose}::text[]) AS whose (owner) CROSS JOIN LATERAL (
      SELECT ${COLUMNS} FROM ${TABLES}
      WHERE a.owner >= whose.owner AND (a.owner, a.id) < (whose.owner, ${place})
      ORDER BY a.owner DESC, a.id DESC LIMIT ${limit}) AS e
    ORDER BY e.ask DESC LIMIT ${limit}`;
}

/**
 * An ask with what its client sent, which is null in records of earlier versions.
 *
 * @param owner undefined: an ask of anybody
 */
export async function findAskRow(
  database: Database,
  ask: AskId,
  owner: string | undefined,
): Promise<(AskRow & { readonly document: unknown }) | undefined> {
  const [row] = await database.$queryRaw<readonly (AskRow & { readonly document: unknown })[]>`
    SELECT ${COLUMNS}, a.document FROM ${TABLES}
    WHERE a.id = ${ask}::uuid AND a.owner = coalesce(${owner ?? null}::text, a.owner)`;
  return row;
}

const COLUMNS = Prisma.sql`a.id AS ask, a.owner, i.name AS "ownerName", a.created_at AS "createdAt",
  a.result, a.name, a.inputs #>> '{job,tool,id}' AS tool, made.offers, made.open, made.accepted`;

const TABLES = Prisma.sql`ask a LEFT JOIN identity i ON i.owner = a.owner
  CROSS JOIN LATERAL (
    SELECT coalesce(array_agg(o.id::text ORDER BY o.place), '{}') AS offers,
      count(*) FILTER (WHERE o.state = 'OFFERED' AND o.expires_at > clock_timestamp())::int AS open,
      min(o.id::text) FILTER (WHERE o.state NOT IN ('OFFERED', 'REJECTED', 'EXPIRED')) AS accepted
    FROM offer o WHERE o.ask_id = a.id) AS made`;
