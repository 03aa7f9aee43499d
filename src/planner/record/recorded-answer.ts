import type { Database } from '../../db/client.ts';
import type { AskId } from '../../words/ids.ts';
import { keyMismatch, type DecisionKey } from '../guard.ts';
import { nearestOf, type KeptNearest } from './kept-nearest.ts';
import {
  groupKept,
  unpack,
  unpackLists,
  type KeptLists,
  type KeptReasons,
  type KeptRefusal,
} from './packed-reasons.ts';
import { readOfferRows, type Transaction, type OfferRow } from './ledger.ts';
import type { NearestAsk } from '../nearest/nearest.ts';
import type { Reason } from '../reasons.ts';

/** An answer that was given before, with its offers as they are now. */
export type RecordedAnswer =
  | { readonly result: 'YES'; readonly offers: readonly OfferRow[] }
  | {
      readonly result: 'NO';
      readonly reasons: readonly Reason[];
      readonly nearest: NearestAsk | undefined;
    };

/**
 * What is kept of a NO: its reasons, and what would make it YES. Records of earlier versions have
 * each reason of each destination.
 */
export type Reasons =
  | ((KeptReasons | KeptLists) & { readonly nearest?: KeptNearest })
  | readonly KeptRefusal[]
  | { readonly refusals: readonly KeptRefusal[]; readonly nearest: KeptNearest };

/**
 * The ask that was decided under a key of this owner within 24 hours.
 *
 * @throws Problem `idempotency-mismatch` (422) when the key was used for something else
 */
export async function findDecision(
  database: Database,
  owner: string,
  { key, route, bodyHash }: DecisionKey,
): Promise<AskId | undefined> {
  const [row] = await database.$queryRaw<{ ask: AskId | null; same: boolean }[]>`
    SELECT ask_id AS ask, route = ${route} AND body_hash = ${bodyHash} AS same FROM idempotency
    WHERE owner = ${owner} AND key = ${key} AND created_at >= clock_timestamp() - interval '24 hours'`;
  if (row === undefined) return undefined;
  if (!row.same) throw keyMismatch();
  return row.ask ?? undefined;
}

/**
 * Makes an update in the transaction that keeps its key; an accept has
 * a function of its own for that.
 *
 * @param owner whose key it is
 * @throws Problem `idempotency-mismatch` (422) when the key was used for something else
 */
export async function underKey<Verdict>(
  database: Database,
  owner: string,
  key: DecisionKey | undefined,
  update: (asking: Transaction) => Promise<Verdict>,
): Promise<Verdict> {
  return key === undefined
    ? update(database)
    : database.$transaction(async (transaction) => {
        const [before] = await transaction.$queryRaw<{ kind: string | null }[]>`
      SELECT claim_key(${owner}, ${key.key}, ${key.route}, ${key.bodyHash}, NULL) ->> 'kind' AS kind`;
        if (before?.kind === 'mismatch') throw keyMismatch();
        const verdict = await update(transaction);
        // Last: whoever writes answers takes this lock last, too.
        if (before?.kind === null)
          await transaction.$executeRaw`SELECT add_stored(ARRAY[${owner}], ARRAY[key_bytes()])`;
        return verdict;
      });
}

export function reasonsOf(kept: Reasons): {
  readonly reasons: readonly Reason[];
  readonly nearest: NearestAsk | undefined;
} {
  const nearest =
    'nearest' in kept && kept.nearest !== undefined ? nearestOf(kept.nearest) : undefined;
  if ('reasons' in kept) return { reasons: unpack(kept), nearest };
  if ('lists' in kept) return { reasons: unpackLists(kept), nearest };
  return { reasons: groupKept('refusals' in kept ? kept.refusals : kept), nearest };
}

/** An answer of the records, which are kept longer than keys. */
export async function readAnswer(database: Database, ask: AskId): Promise<RecordedAnswer> {
  const [row] = await database.$queryRaw<
    { result: string; reasons: Reasons }[]
  >`SELECT result, reasons FROM ask WHERE id = ${ask}::uuid`;
  if (row === undefined) throw new Error(`ask ${ask} is not in the records`);
  return row.result === 'YES'
    ? { result: 'YES', offers: await readOfferRows(database, ask) }
    : { result: 'NO', ...reasonsOf(row.reasons) };
}
