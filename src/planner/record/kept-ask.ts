import type { Database } from '../../db/client.ts';
import { Prisma } from '../../generated/prisma/client.ts';
import { parseAdmissions } from '../../sandbox/load-answer.ts';
import { Admissions } from '../../vortex/decide/admission.ts';
import { parseKeptTrace } from '../../vortex/decision-parse.ts';
import type { TraceStep } from '../../vortex/index.ts';
import type { AskId, OfferId } from '../../words/ids.ts';
import type { BookSummary } from '../plan/book-summary.ts';
import type { Inputs } from '../considering.ts';
import type { Reasons } from './recorded-answer.ts';

/** What is kept of an ask. Planners write it and nobody else. */
export type KeptAsk = {
  readonly id: AskId;
  readonly owner: string;
  /** by which an issuer's user was known last; null for everybody else */
  readonly ownerName: string | null;
  readonly createdAt: Date;
  readonly result: 'YES' | 'NO';
  /** null when the ask was not understood */
  readonly inputs: (Inputs & { readonly book?: BookSummary }) | null;
  readonly rulesDigest: string;
  readonly trace: readonly TraceStep[];
  readonly reasons: Reasons;
};

const KEPT = Prisma.sql`
    SELECT a.id, a.owner, i.name AS "ownerName", a.created_at AS "createdAt", a.result,
      nullif(a.inputs, 'null') AS inputs,
      a.rules_digest AS "rulesDigest", a.reasons,
      (SELECT r.steps FROM trace r WHERE r.key = 'rules ' || a.rules_digest) AS admissions,
      coalesce((SELECT jsonb_agg(s) FROM jsonb_array_elements(x.steps) s WHERE s ? 'step'), '[]') AS trace
    FROM ask a LEFT JOIN trace t ON t.key = a.trace_key LEFT JOIN identity i ON i.owner = a.owner
    CROSS JOIN LATERAL (SELECT CASE jsonb_typeof(coalesce(a.trace, t.steps)) WHEN 'array'
      THEN coalesce(a.trace, t.steps) ELSE '[]' END AS steps) x`;

type KeptRow = Omit<KeptAsk, 'trace'> & { readonly admissions: unknown; readonly trace: unknown };

const GIBIBYTES: ReadonlyMap<string, 'mem_min' | 'mem_max'> = new Map([
  ['ram_min', 'mem_min'],
  ['ram_max', 'mem_max'],
]);

/**
 * An ask of this owner, or undefined.
 *
 * @param owner undefined: whosever it is
 */
export async function findAsk(
  database: Database,
  id: AskId,
  owner: string | undefined,
): Promise<KeptAsk | undefined> {
  const [row] = await database.$queryRaw<
    KeptRow[]
  >`${KEPT} WHERE a.id = ${id}::uuid AND a.owner = coalesce(${owner ?? null}::text, a.owner)`;
  return row && inFull(row);
}

/** The same of the ask that an offer answers. */
export async function findAskOfOffer(
  database: Database,
  offer: OfferId,
  owner: string | undefined,
): Promise<KeptAsk | undefined> {
  const [row] = await database.$queryRaw<KeptRow[]>`${KEPT} JOIN offer o ON o.ask_id = a.id
    WHERE o.id = ${offer}::uuid AND a.owner = coalesce(${owner ?? null}::text, a.owner)`;
  return row && inFull(row);
}

/** The steps as they were, with what every destination said. */
function inFull({ trace, admissions, inputs, ...row }: KeptRow): KeptAsk {
  return {
    ...row,
    inputs: inputs !== null && 'job' in inputs ? asNamedNow(inputs) : inputs,
    trace: new Admissions(parseAdmissions(admissions ?? [])).told(parseKeptTrace(trace)),
  };
}

/**
 * Asks once required their memory, in GiB, under the names that wrappers of Galaxy have for MiB.
 * Ten million of them are not written anew for that.
 */
function asNamedNow<Kept extends Inputs>({
  job,
  ...inputs
}: Kept): Omit<Kept, 'job'> & Pick<Inputs, 'job'> {
  const requirements = job.tool.requirements.map(({ type, value }) => ({
    type: GIBIBYTES.get(type) ?? type,
    value,
  }));
  return { ...inputs, job: { ...job, tool: { ...job.tool, requirements } } };
}
