import type { Database } from '../../db/client.ts';
import { Prisma } from '../../generated/prisma/client.ts';
import type { Whose } from '../../identity/owners.ts';
import type { JobEntry, ListedJob } from '../job.ts';
import { matchPhases } from '../phases.ts';
import type { ListPlace } from '../read/list-cursor.ts';
import type { ListExtent, ListFilter } from '../read/list-filter.ts';
import { afterShown } from './after-shown.ts';

/** What is read of each job: XML and pages show little, and a task type is part of a large document. */
export type Columns<Row> = { readonly sql: Prisma.Sql; readonly read: (row: object) => Row };

export const BRIEF: Columns<JobEntry> = { sql: Prisma.empty, read: (row) => Object(row) };
export const FULL: Columns<ListedJob> = {
  sql: Prisma.sql`, o.destination_id AS destination, o.promise ->> 'taskType' AS "taskType",
      o.starts_at AS "startsAt", j.started_at AS "startedAt", j.ended_at AS "endedAt",
      j.execution_s AS "executionS", o.cores, o.memory_mib::float8 AS memory,
      o.scratch_mib::float8 AS scratch, o.gpu_type AS "gpuType", o.gpus`,
  read: (row) => Object(row),
};

/** A page of the list; `next` is the place of its last job if there are more. */
export type JobPage<Row> = { readonly jobs: readonly Row[]; readonly next: ListPlace | undefined };

/** What a list has: the jobs of somebody that pass a filter. */
type Listing<Row> = {
  readonly whose: Whose;
  readonly filter: ListFilter;
  readonly columns: Columns<Row>;
};

/** Rows of one statement: memory does not hold ten thousand jobs at once. */
const CHUNK = 500;
/** Characters of the parts of names that have an index. */
const NAME_PART = 3;
/** No UUID v7 is larger. */
const LAST_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** The jobs of these owners that pass the filter, newest first. */
export async function* listJobs<Row>(
  database: Database,
  listing: Listing<Row>,
  extent: Exclude<ListExtent, { kind: 'page' }>,
): AsyncGenerator<Row> {
  let left = extent.kind === 'last' ? extent.most : Infinity;
  let after: ListPlace | undefined;
  do {
    const { jobs, next } = await readJobPage(database, listing, Math.min(CHUNK, left), after);
    yield* jobs;
    left -= jobs.length;
    after = next;
  } while (after !== undefined && left > 0);
}

/**
 * A page of the list. Jobs that come or go meanwhile change no page after it: a page begins after a
 * place, whether or not its job is still there.
 */
export async function readJobPage<Row>(
  database: Database,
  { whose, filter, columns }: Listing<Row>,
  limit: number,
  after: ListPlace | undefined,
): Promise<JobPage<Row>> {
  // One more tells whether there is a next page.
  const rows = await database.$queryRaw<readonly (ListPlace & object)[]>(
    pageOfJobs(whose, columns.sql, conditionsOf(filter), { limit: limit + 1, after }),
  );
  const page = rows.slice(0, limit);
  return { jobs: page.map(columns.read), next: rows.length > limit ? page.at(-1) : undefined };
}

/**
 * The jobs of each owner are read in the order of an index, so that a page costs the same of any
 * list. A place in that index is compared as a whole: with equality of the owner, PostgreSQL may
 * take the index of all jobs and read those of everybody.
 */
function pageOfJobs(
  whose: Whose,
  columns: Prisma.Sql,
  conditions: Prisma.Sql,
  { limit, after }: { readonly limit: number; readonly after: ListPlace | undefined },
): Prisma.Sql {
  const place =
    after === undefined
      ? Prisma.sql`'infinity'::timestamptz, ${LAST_UUID}::uuid`
      : Prisma.sql`timestamptz 'epoch' + ${after.micros}::float8 * interval '1 microsecond',
          ${after.id}::uuid`;
  const jobs = (isListed: Prisma.Sql, order: Prisma.Sql): Prisma.Sql => Prisma.sql`
    SELECT j.id, j.owner, i.name AS "ownerName", j.run_id AS "runId", j.created_at AS "createdAt",
      j.archived_at IS NOT NULL AS archived, j.start_mode::text AS "startMode",
      shown_state(o.state, j.unknown_since) AS state,
      (extract(epoch FROM j.created_at) * 1000000)::float8 AS micros${columns}
    FROM job j JOIN offer o ON o.id = j.id LEFT JOIN identity i ON i.owner = j.owner
    WHERE ${isListed} AND j.destroyed_at IS NULL${conditions}
    ORDER BY ${order}j.created_at DESC, j.id DESC LIMIT ${limit}`;
  if (whose === 'everybody')
    return jobs(Prisma.sql`(j.created_at, j.id) < (${place})`, Prisma.empty);
  const ofOwner = Prisma.sql`j.owner >= whose.owner
    AND (j.owner, j.created_at, j.id) < (whose.owner, ${place})`;
  return Prisma.sql`
    SELECT e.* FROM unnest(${whose}::text[]) AS whose (owner)
    CROSS JOIN LATERAL (${jobs(ofOwner, Prisma.sql`j.owner DESC, `)}) AS e
    ORDER BY e."createdAt" DESC, e.id DESC LIMIT ${limit}`;
}

function conditionsOf(filter: ListFilter): Prisma.Sql {
  const { phases, after, before, endedAfter, destinations, name } = filter;
  const { progress, isAny, archived, isLive } = matchPhases(phases);
  const ofPhase = Prisma.sql`shown_state(o.state, j.unknown_since) || '/' || j.start_mode
    = ANY (${progress}::text[])`;
  const all = [
    // By these, PostgreSQL finds an index of few jobs.
    ...(isLive ? [Prisma.sql`j.ended_at IS NULL`] : []),
    ...(archived ? [] : [Prisma.sql`j.archived_at IS NULL`]),
    // A condition that all jobs meet makes PostgreSQL expect few of them.
    ...(isAny ? [] : [archived ? Prisma.sql`(j.archived_at IS NOT NULL OR ${ofPhase})` : ofPhase]),
    ...(after === undefined ? [] : [Prisma.sql`j.created_at >= ${afterShown(after)}`]),
    ...(endedAfter === undefined ? [] : [Prisma.sql`j.ended_at >= ${afterShown(endedAfter)}`]),
    ...(before === undefined
      ? []
      : [Prisma.sql`j.created_at < ${before.toISOString()}::timestamptz`]),
    ...(destinations === undefined
      ? []
      : [Prisma.sql`o.destination_id = ANY (${destinations}::text[])`]),
    ...(name === undefined ? [] : namedConditions(name)),
  ];
  return Prisma.sql` AND ${Prisma.join(all, ' AND ')}`;
}

/**
 * Its name contains this text. `<> 0` instead of `> 0`: PostgreSQL expects the second of a third of
 * all jobs, also where the index by parts tells it how few have them.
 */
function namedConditions(name: string): readonly Prisma.Sql[] {
  const contains = Prisma.sql`strpos(lower(j.run_id), lower(${name})) <> 0`;
  if (name.length < NAME_PART) return [contains];
  // The index has jobs that have ended; the others are few.
  const mayContain = Prisma.sql`(j.ended_at IS NULL OR (j.ended_at IS NOT NULL
    AND j.run_id IS NOT NULL AND name_parts(j.run_id) @> name_parts(${name})))`;
  return [contains, mayContain];
}
