import type { Response } from 'express';
import type { Database } from '../../db/client.ts';
import type { JobId } from '../../words/ids.ts';
import { A_JOB_NAME, isJobName } from '../../planner/job-name.ts';
import { Problem } from '../../words/problem.ts';
import { type UwsCall, requireOwn, type UwsDeps, visibleJob } from '../call.ts';
import {
  invalidParameter,
  type ControlParameters,
  readCount,
  single,
  singleAs,
} from '../read/control.ts';
import { holdWhile } from '../live/hold.ts';
import { type Job, jobUrl } from '../job.ts';
import { isOurs } from '../store/kept-parameters.ts';
import { phaseOf } from '../phases.ts';
import {
  abortJob,
  destroyJob,
  runJob,
  setDestruction,
  setExecutionDuration,
} from '../store/store.ts';
import { readTime } from '../read/time.ts';

/**
 * How long the answer to PHASE=ABORT waits for the run to stop, so that the next GET already shows
 * ABORTED.
 */
const ABORT_WAIT_S = 2;

const A_DURATION = 'a whole number of seconds, or 0 for the offered duration';
const A_TIME = 'a UTC time such as 2026-08-17T10:00:00Z';

export function conflict(job: Job, text: string): Problem {
  return new Problem('job-state-conflict', `Job ${job.id} is ${phaseOf(job)}: ${text}`, {
    state: job.state,
  });
}

/** What a client may set of a job; undefined without that parameter. */
type JobSettings = {
  readonly runId: string | undefined;
  readonly seconds: number | undefined;
  readonly destruction: Date | undefined;
};

/** Reads RUNID, EXECUTIONDURATION and DESTRUCTION. @throws Problem `parameter-invalid` (400). */
export function readJobSettings(parameters: ControlParameters): JobSettings {
  return {
    runId: singleAs(parameters, 'RUNID', A_JOB_NAME, (text) =>
      isJobName(text) ? text : undefined,
    ),
    seconds: singleAs(parameters, 'EXECUTIONDURATION', A_DURATION, readCount),
    destruction: singleAs(parameters, 'DESTRUCTION', A_TIME, readTime),
  };
}

/** @returns false when the job is past that */
export async function setDuration(
  database: Database,
  id: JobId,
  { seconds }: Pick<JobSettings, 'seconds'>,
): Promise<boolean> {
  return seconds === undefined || setExecutionDuration(database, id, seconds);
}

/** @returns false when the job is past that */
export async function setDestructionTime(
  { database, longestKeepS }: UwsDeps,
  id: JobId,
  { destruction }: Pick<JobSettings, 'destruction'>,
): Promise<boolean> {
  return destruction === undefined || setDestruction(database, id, destruction, longestKeepS);
}

/** `PHASE=RUN` or `PHASE=ABORT` (UWS § 2.2.3.5, § 2.2.3.6). @returns the URL to redirect to */
export async function changePhase(
  deps: UwsDeps,
  call: UwsCall,
  job: Job,
  res: Response,
): Promise<string> {
  const wanted = 'RUN or ABORT';
  const phase = required(single(call.parameters, 'PHASE'), 'PHASE', wanted);
  switch (phase) {
    case 'RUN':
      await run(deps, call, job);
      break;
    case 'ABORT':
      await abort(deps, call, job, res);
      break;
    default:
      throw invalidParameter('PHASE', phase, wanted);
  }
  return jobUrl(call.places, job.id);
}

/**
 * `EXECUTIONDURATION=<seconds>` (UWS § 2.2.3.4), at most the offered duration.
 * @returns the URL to redirect to
 */
export async function changeExecutionDuration(
  { database }: UwsDeps,
  call: UwsCall,
  job: Job,
): Promise<string> {
  requireOwn(call, job);
  const { seconds } = readJobSettings(call.parameters);
  if (
    !(await setDuration(database, job.id, {
      seconds: required(seconds, 'EXECUTIONDURATION', A_DURATION),
    }))
  ) {
    throw conflict(job, 'its execution duration can no longer change.');
  }
  return jobUrl(call.places, job.id);
}

/**
 * `DESTRUCTION=<time>` (UWS § 2.2.3.3), at most as late as the site keeps results.
 * @returns the URL to redirect to
 */
export async function changeDestruction(deps: UwsDeps, call: UwsCall, job: Job): Promise<string> {
  requireOwn(call, job);
  const { destruction } = readJobSettings(call.parameters);
  if (
    !(await setDestructionTime(deps, job.id, {
      destruction: required(destruction, 'DESTRUCTION', A_TIME),
    }))
  ) {
    throw conflict(job, 'its results are already removed.');
  }
  return jobUrl(call.places, job.id);
}

/** DELETE, or ACTION=DELETE (UWS § 2.2.3.2). @returns the URL of the list */
export async function destroy(
  { database }: UwsDeps,
  { places }: UwsCall,
  job: Job,
): Promise<string> {
  await destroyJob(database, job.id);
  return places.list;
}

/** Does the request set anything of a job? */
export function setsSomething({ parameters, body }: UwsCall): boolean {
  return (
    body.inline.size > 0 ||
    [...parameters.keys()].some(
      (name) =>
        !isOurs(name) ||
        ['RUNID', 'EXECUTIONDURATION', 'DESTRUCTION', 'OFFER', 'REQUEST'].includes(name),
    )
  );
}

function required<Value>(value: Value | undefined, name: string, wanted: string): Value {
  if (value !== undefined) return value;
  throw new Problem('parameter-invalid', `${name} is missing; it must be ${wanted}.`, {
    errors: [{ path: name, text: `must be ${wanted}` }],
  });
}

async function run({ database, queueLimitS }: UwsDeps, call: UwsCall, job: Job): Promise<void> {
  requireOwn(call, job);
  // A job that is under way already does what the client wants. A job that starts by itself may
  // even be over before its client sends RUN, unless somebody aborted or archived it.
  const mayBeOver = job.startMode !== 'CLIENT' && !job.archived && job.state !== 'CANCELLED';
  const verdict = await runJob(database, job.id, queueLimitS());
  if (verdict === 'illegal' && !mayBeOver)
    throw conflict(job, 'it has ended and cannot run again.');
  if (verdict === 'late') throw conflict(job, 'its time to start is over.');
}

async function abort(
  { database, waiters }: UwsDeps,
  call: UwsCall,
  job: Job,
  res: Response,
): Promise<void> {
  if (job.state === 'CANCELLED') return;
  const isOver = (latest: Job): boolean => latest.endedAt !== null;
  if (isOver(job)) throw conflict(job, 'it has ended and cannot be aborted.');
  await abortJob(
    database,
    job.id,
    job.owner === call.owner ? 'owner' : { administrator: call.owner },
  );
  const read = (): Promise<Job> => visibleJob(database, call, job.id);
  await holdWhile(waiters, job.id, res, ABORT_WAIT_S, read, (latest) => !isOver(latest));
}
