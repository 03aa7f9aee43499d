import { stopperText, type Stopper } from '../../identity/stopper.ts';
import type { Database } from '../../db/client.ts';
import { Prisma } from '../../generated/prisma/client.ts';
import { localOwner } from '../../identity/principal.ts';
import type { JobId } from '../../words/ids.ts';
import type { JobEntry, JobError } from '../job.ts';
import type { ListFilter } from '../read/list-filter.ts';
import { matchPhases } from '../phases.ts';

/** Rows of one page of the list: memory does not hold ten thousand jobs at once. */
const PAGE = 500;
const MILLISECOND = 1;

type EntryRow = JobEntry & { readonly cursor: string };

/** The jobs of these owners that pass the filter, newest first. */
export async function* listJobs(
  database: Database,
  owners: readonly string[],
  filter: ListFilter,
): AsyncGenerator<JobEntry> {
  let left = filter.last ?? Infinity;
  let cursor: EntryRow | undefined;
  while (left > 0) {
    const limit = Math.min(PAGE, left);
    const rows = await readPage(database, owners, filter, cursor, limit);
    yield* rows;
    if (rows.length < limit) return;
    left -= rows.length;
    cursor = rows.at(-1);
  }
}

/**
 * The owners that a name may mean: the owner column itself, a user of the site's files, and
 * issuers' users of that name.
 */
export async function ownersNamed(database: Database, name: string): Promise<readonly string[]> {
  const known = await database.identity.findMany({ where: { name }, select: { owner: true } });
  return [name, localOwner(name), ...known.map(({ owner }) => owner)];
}

/**
 * The state of an offer whose owner wants its job; `lapsed` when the database's clock is past its
 * end.
 */
type OfferStanding = {
  readonly owner: string;
  readonly state: string;
  readonly lapsed: boolean;
  readonly hasJob: boolean;
};

export async function readOffer(database: Database, id: JobId): Promise<OfferStanding | undefined> {
  const [row] = await database.$queryRaw<readonly OfferStanding[]>`
    SELECT o.owner, o.state::text, o.state = 'OFFERED' AND o.expires_at <= clock_timestamp() AS lapsed,
           j.id IS NOT NULL AND j.destroyed_at IS NULL AS "hasJob"
    FROM offer o LEFT JOIN job j ON j.id = o.id WHERE o.id = ${id}::uuid`;
  return row;
}

/**
 * PHASE=RUN of a job that its client starts: `running`, `already` under way, or `illegal` because
 * the job is over.
 */
export async function runJob(
  database: Database,
  id: JobId,
  queueLimitS: number,
): Promise<'running' | 'already' | 'illegal'> {
  const [row] = await database.$queryRaw<readonly { verdict: 'running' | 'already' | 'illegal' }[]>`
    SELECT run_job(${id}::uuid, make_interval(secs => ${queueLimitS})) AS verdict`;
  return row?.verdict ?? 'illegal';
}

/** PHASE=ABORT. Resolves before an executor has stopped the run. */
export async function abortJob(database: Database, id: JobId, who: Stopper): Promise<void> {
  await database.$queryRaw`SELECT abort_job(${id}::uuid, ${abortedBy(who)}::jsonb) AS verdict`;
}

/** Stops and forgets the job; an executor removes its files. */
export async function destroyJob(database: Database, id: JobId): Promise<void> {
  await database.$queryRaw`SELECT destroy_job(${id}::uuid)::text`;
}

/** Gives the job a run id unless it has one. */
export async function giveRunId(database: Database, id: JobId, runId: string): Promise<void> {
  await database.job.updateMany({ where: { id, runId: null }, data: { runId } });
}

/** Gives a PENDING job another run id. @returns false when the job is past that */
export async function changeRunId(database: Database, id: JobId, runId: string): Promise<boolean> {
  const { count } = await database.job.updateMany({
    where: { id, startMode: 'CLIENT', offer: { state: 'ACCEPTED' } },
    data: { runId },
  });
  return count > 0;
}

/**
 * Sets the execution duration, at most the offered maximum; 0 means that maximum. The engine learns
 * the duration when it prepares the job, so a later change is refused.
 *
 * @returns false when the job is past that
 */
export async function setExecutionDuration(
  database: Database,
  id: JobId,
  seconds: number,
): Promise<boolean> {
  // Locks the offer first, like begin_job, which then sees either the new duration or none.
  const changed = await database.$executeRaw`
    WITH o AS MATERIALIZED (SELECT id, state, duration_s FROM offer WHERE id = ${id}::uuid FOR UPDATE)
    UPDATE job SET execution_s = least(coalesce(nullif(${seconds}::int, 0), o.duration_s), o.duration_s)
    FROM o WHERE job.id = o.id AND o.state IN ('ACCEPTED', 'WAITING')`;
  return changed > 0;
}

/**
 * Sets the destruction time, at most `longestKeepS` seconds after the latest offered end of the
 * run.
 *
 * @returns false when the job is archived already
 */
export async function setDestruction(
  database: Database,
  id: JobId,
  at: Date,
  longestKeepS: number,
): Promise<boolean> {
  const changed = await database.$executeRaw`
    UPDATE job SET destruction_at = least(${at.toISOString()}::timestamptz,
        greatest(o.starts_at, job.created_at) + make_interval(secs => o.duration_s + ${longestKeepS}::int))
    FROM offer o WHERE job.id = ${id}::uuid AND o.id = job.id AND job.archived_at IS NULL`;
  return changed > 0;
}

function readPage(
  database: Database,
  owners: readonly string[],
  filter: ListFilter,
  before: EntryRow | undefined,
  limit: number,
): Promise<readonly EntryRow[]> {
  const { progress, archived } = matchPhases(filter.phases);
  // The database has microseconds and the list shows milliseconds: no job may come after the time
  // that the list shows for it.
  const from = filter.after && new Date(filter.after.getTime() + MILLISECOND);
  return database.$queryRaw<readonly EntryRow[]>`
    SELECT j.id, j.owner, i.name AS "ownerName", j.run_id AS "runId", j.created_at AS "createdAt",
      j.archived_at IS NOT NULL AS archived,
           j.start_mode::text AS "startMode", shown_state(o.state, j.unknown_since) AS state,
             j.created_at::text AS cursor
    FROM job j JOIN offer o ON o.id = j.id LEFT JOIN identity i ON i.owner = j.owner
    WHERE j.owner = ANY (${owners}::text[]) AND j.destroyed_at IS NULL
      AND CASE WHEN j.archived_at IS NULL THEN shown_state(o.state, j.unknown_since) || '/' ||
        j.start_mode = ANY (${progress}::text[])
               ELSE ${archived}::boolean END
      ${from === undefined ? Prisma.empty : Prisma.sql`AND j.created_at >= ${from.toISOString()}::timestamptz`}
      ${
        before === undefined
          ? Prisma.empty
          : Prisma.sql`AND (j.created_at, j.id) < (${before.cursor}::timestamptz, ${before.id}::uuid)`
      }
    ORDER BY j.created_at DESC, j.id DESC LIMIT ${limit}`;
}

function abortedBy(who: Stopper): string {
  return JSON.stringify({
    code: 'aborted',
    type: 'fatal',
    detail: '',
    message: `The job was aborted by ${stopperText(who)}.`,
  } satisfies JobError);
}
