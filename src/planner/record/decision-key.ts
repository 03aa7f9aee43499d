import type { Database } from '../../db/client.ts';
import type { AskId } from '../../words/ids.ts';
import { keyMismatch, type DecisionKey } from '../guard.ts';
import type { Transaction } from './update-offer.ts';

/**
 * The ask that was decided under a key of this owner within 24 hours.
 *
 * @throws Problem `idempotency-mismatch` (422) when another request used the key
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
 * Makes an update in the transaction that keeps its key; `accept_offers` does both by itself.
 *
 * @param owner whose key it is
 * @throws Problem `idempotency-mismatch` (422) when another request used the key
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
        // Last, like the writer of answers: two orders of locks would be a deadlock.
        if (before?.kind === null)
          await transaction.$executeRaw`SELECT add_stored(ARRAY[${owner}], ARRAY[key_bytes()])`;
        return verdict;
      });
}
