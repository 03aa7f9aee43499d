import type { Database } from '../../db/client.ts';
import { judgementsOf } from '../../planner/explain/explain.ts';
import { findAskOfOffer } from '../../planner/record/kept-ask.ts';
import type { JobId } from '../../words/ids.ts';

/** How the offer of a job came about, in short; the trace has every step. */
export type JobDecision = {
  readonly askedAt: Date;
  /** digest of the rule files that decided */
  readonly rules: string;
  /** entity of the rules that matched the task; null without a known step */
  readonly tool: string | null;
  /** destinations that the rules judged, without templates */
  readonly considered: number;
  /** those that the rules found suitable */
  readonly suitable: number;
  /** place of the job's destination among the suitable ones, from 1 */
  readonly rank: number | null;
};

const MOST_KEPT = 10_000;
const kept = new WeakMap<Database, Map<JobId, Promise<JobDecision | null>>>();

/** Reads the decision behind a job once, since it never changes. */
export function readJobDecision(database: Database, id: JobId): Promise<JobDecision | null> {
  const known = kept.get(database) ?? new Map<JobId, Promise<JobDecision | null>>();
  kept.set(database, known);
  const before = known.get(id);
  if (before !== undefined) return before;
  if (known.size >= MOST_KEPT) known.clear();
  const decision = read(database, id);
  known.set(id, decision);
  decision.catch(() => known.delete(id));
  return decision;
}

async function read(database: Database, id: JobId): Promise<JobDecision | null> {
  const [offer] = await database.$queryRaw<
    readonly { readonly destination: string }[]
  >`SELECT destination_id AS destination FROM offer WHERE id = ${id}::uuid`;
  const ask = offer && (await findAskOfOffer(database, id, undefined));
  if (ask === undefined) return null;
  const judged = judgementsOf(ask.trace);
  return {
    askedAt: ask.createdAt,
    rules: ask.rulesDigest,
    tool: ask.trace.find((step) => step.step === 'tool-matched')?.entity ?? null,
    considered: judged.length,
    suitable: judged.filter(({ verdict }) => verdict !== 'refused').length,
    rank: judged.find(({ destination }) => destination === offer?.destination)?.rank ?? null,
  };
}
