import type { Database } from '../../db/client.ts';
import { Prisma } from '../../generated/prisma/client.ts';
import { parseAdmissions } from '../../sandbox/load-answer.ts';
import { Admissions } from '../../vortex/decide/admission.ts';
import { parseKeptTrace } from '../../vortex/decision-parse.ts';
import type { TraceStep } from '../../vortex/index.ts';
import type { AskId, JobId, OfferId } from '../../words/ids.ts';
import type { Inputs } from '../considering.ts';
import type { NearestAsk } from '../nearest/nearest.ts';
import type { BookSummary } from '../plan/book-summary.ts';
import type { Reason } from '../reasons.ts';
import { reasonsOf, type Reasons } from './kept-reasons.ts';
import { readOfferRows, type OfferRow } from './offer-rows.ts';

/** What is kept of an ask. Only planners write it. */
export type KeptAsk = {
  readonly id: AskId;
  readonly owner: string;
  /** the last known name of an issuer's user; null for everybody else */
  readonly ownerName: string | null;
  readonly createdAt: Date;
  readonly result: 'YES' | 'NO';
  /** null when the ask was not understood */
  readonly inputs: (Inputs & { readonly book?: BookSummary }) | null;
  readonly rulesDigest: string;
  readonly trace: readonly TraceStep[];
  readonly reasons: Reasons;
};

/** An answer that was given before, with its offers as they are now. */
export type RecordedAnswer =
  | { readonly result: 'YES'; readonly offers: readonly OfferRow[] }
  | {
      readonly result: 'NO';
      readonly reasons: readonly Reason[];
      readonly nearest: NearestAsk | undefined;
    };

/** The reasons of an ask `a`, with the names of the rule files that it refers to. */
export const REASONS = `
    CASE WHEN a.reasons ? 'ofRules' THEN a.reasons || jsonb_build_object('destinations',
      coalesce((SELECT jsonb_path_query_array(r.steps, '$[*].id') FROM trace r
        WHERE r.key = 'rules ' || a.rules_digest), '[]') || (a.reasons -> 'destinations'))
    ELSE a.reasons END AS reasons`;

const KEPT = Prisma.sql`
    SELECT a.id, a.owner, i.name AS "ownerName", a.created_at AS "createdAt", a.result,
      nullif(a.inputs, 'null') AS inputs,
      a.rules_digest AS "rulesDigest", ${Prisma.raw(REASONS)},
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
 * @param owner undefined: an ask of anybody
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

/** The ask of an offer. @see findAsk */
export async function findAskOfOffer(
  database: Database,
  offer: OfferId,
  owner: string | undefined,
): Promise<KeptAsk | undefined> {
  const [row] = await database.$queryRaw<KeptRow[]>`${KEPT} JOIN offer o ON o.ask_id = a.id
    WHERE o.id = ${offer}::uuid AND a.owner = coalesce(${owner ?? null}::text, a.owner)`;
  return row && inFull(row);
}

/** An answer of the records, which outlive the keys of idempotency. */
export async function readAnswer(database: Database, ask: AskId): Promise<RecordedAnswer> {
  const [row] = await database.$queryRaw<
    { result: string; reasons: Reasons }[]
  >`SELECT a.result, ${Prisma.raw(REASONS)} FROM ask a WHERE a.id = ${ask}::uuid`;
  if (row === undefined) throw new Error(`ask ${ask} is not in the records`);
  return row.result === 'YES'
    ? { result: 'YES', offers: await readOfferRows(database, ask) }
    : { result: 'NO', ...reasonsOf(row.reasons) };
}

/** The document of the ask that became a job; null in records of earlier versions. */
export async function readAskDocument(database: Database, job: JobId): Promise<unknown> {
  const { ask } = await database.offer.findUniqueOrThrow({
    where: { id: job },
    select: { ask: { select: { document: true } } },
  });
  return ask.document;
}

/** Completes the steps with what every destination said. */
function inFull({ trace, admissions, inputs, ...row }: KeptRow): KeptAsk {
  return {
    ...row,
    inputs: inputs !== null && 'job' in inputs ? asNamedNow(inputs) : inputs,
    trace: new Admissions(parseAdmissions(admissions ?? [])).told(parseKeptTrace(trace)),
  };
}

/**
 * Earlier versions kept the memory of an ask, in GiB, under the names that Galaxy's wrappers use
 * for MiB. Such records, up to ten million, are translated when they are read.
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
