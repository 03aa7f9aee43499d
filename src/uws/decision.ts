import type { Database } from '../db/client.ts';
import type { JobId } from '../words/ids.ts';

/** How the offer of a job came about, in short; the trace has every step. */
export type Decision = {
  readonly askedAt: Date;
  /** digest of the rule files that decided */
  readonly rules: string;
  /** entity of the rules by which the task was judged; null when nothing is known of the steps */
  readonly tool: string | null;
  /** destinations that were looked at, and those that the rules found suitable */
  readonly considered: number;
  readonly suitable: number;
  /** place of the job's destination among the suitable ones, the best is 1 */
  readonly rank: number | null;
};

const read = async (database: Database, id: JobId): Promise<Decision | null> => {
  const [row] = await database.$queryRaw<readonly Decision[]>`
    WITH decided AS (
      SELECT a.created_at, a.rules_digest, o.destination_id, coalesce(a.trace, t.steps) AS steps
      FROM offer o JOIN ask a ON a.id = o.ask_id LEFT JOIN trace t ON t.key = a.trace_key WHERE o.id = ${id}::uuid),
    step AS (
      SELECT s.value AS step FROM decided, jsonb_array_elements(CASE jsonb_typeof(steps) WHEN 'array' THEN steps ELSE '[]' END) AS s)
    SELECT d.created_at AS "askedAt", d.rules_digest AS rules,
           (SELECT step->>'entity' FROM step WHERE step->>'step' = 'tool-matched' LIMIT 1) AS tool,
           (SELECT count(DISTINCT step->>'destination')::int FROM step
            WHERE step->>'step' IN ('destination-matched', 'destination-refused')) AS considered,
           (SELECT count(DISTINCT step->>'destination')::int FROM step WHERE step->>'step' = 'ranked') AS suitable,
           (SELECT (step->>'position')::int FROM step
            WHERE step->>'step' = 'ranked' AND step->>'destination' = d.destination_id LIMIT 1) AS rank
    FROM decided d`;
  return row ?? null;
};

const MOST_KEPT = 10_000;
const kept = new WeakMap<Database, Map<JobId, Promise<Decision | null>>>();

/** The decision behind a job. It never changes, so it is read once. */
export const readDecision = (database: Database, id: JobId): Promise<Decision | null> => {
  const known = kept.get(database) ?? new Map<JobId, Promise<Decision | null>>();
  kept.set(database, known);
  const before = known.get(id);
  if (before !== undefined) return before;
  if (known.size >= MOST_KEPT) known.clear();
  const decision = read(database, id);
  known.set(id, decision);
  decision.catch(() => known.delete(id));
  return decision;
};
