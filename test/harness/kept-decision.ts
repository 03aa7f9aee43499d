import type { Database } from '../../src/db/client.ts';
import type { AskId } from '../../src/words/ids.ts';

/** A decision as the database stores it. */
type KeptDecision = {
  readonly inputs: unknown;
  readonly rulesDigest: string;
  readonly trace: unknown;
};

export async function readKeptDecision(
  database: Database,
  id: AskId,
): Promise<KeptDecision | undefined> {
  const [row] = await database.$queryRaw<KeptDecision[]>`
    SELECT a.inputs, a.rules_digest AS "rulesDigest", coalesce(a.trace, t.steps) AS trace
    FROM ask a LEFT JOIN trace t ON t.key = a.trace_key WHERE a.id = ${id}::uuid`;
  return row;
}
