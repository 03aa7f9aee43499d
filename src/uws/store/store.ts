import { stopperText, type Stopper } from '../../identity/stopper.ts';
import type { Database } from '../../db/client.ts';
import type { JobId } from '../../words/ids.ts';
import type { JobError } from '../job.ts';

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

type RunVerdict = 'running' | 'already' | 'illegal' | 'late';

/**
 * PHASE=RUN of a job that its client starts: `running`, `already` under way, `illegal` because the
 * job is over, or `late` because its time to start is.
 */
export async function runJob(
  database: Database,
  id: JobId,
  queueLimitS: number,
): Promise<RunVerdict> {
  const [row] = await database.$queryRaw<readonly { verdict: RunVerdict }[]>`
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

function abortedBy(who: Stopper): string {
  return JSON.stringify({
    code: 'aborted',
    type: 'fatal',
    detail: '',
    message: `The job was aborted by ${stopperText(who)}.`,
  } satisfies JobError);
}
