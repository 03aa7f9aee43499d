import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { normalize } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Source } from '../../../tasks/task.ts';
import { JobFailure } from '../../../words/job-failure.ts';
import { ClaimLost } from '../../claim-lost.ts';
import { fetchSource, type Fetched } from '../../run/fetch-source.ts';
import { isPassing, NotYet } from '../../passing.ts';
import type { Workload } from '../../port.ts';
import { unstarted } from '../../run/unstarted.ts';
import { cgroupOf } from '../cgroup/cgroup.ts';
import { deviceEnvironment, lendTo, type DevicePool } from './devices.ts';
import {
  readJson,
  readFileText,
  takeStart,
  writeJson,
  writeJsonOnce,
  type JobDirectory,
} from '../../run/directory.ts';
import { discard, holderOf, prepareOnce, type LetGo, type Making } from '../../run/draft.ts';
import type { JobHost } from './host.ts';
import { grant, JOB_PATH, start, writeLaunch } from './start.ts';
import { parseRecord, type RunRecord } from '../../run/record.ts';
import { loadVolumes, stagedOf } from '../../run/staging.ts';
import { parseStatus } from '../supervise/status.ts';
import { confinementOf } from './confinement.ts';
import type { RunMethod } from './run-method.ts';

/**
 * Waits until a launch script has said that it runs, so that whoever asks next finds it.
 * Another one may have been first.
 *
 * @throws Error when ours ended without a word and nobody else has begun,
 * or nobody said a word for 10 s
 */
export async function untilStarted(
  place: Pick<JobDirectory, 'status' | 'started'>,
  child: Pick<ChildProcess, 'exitCode' | 'signalCode' | 'kill'>,
): Promise<void> {
  for (let waited = 0; waited < 10_000; waited += 10) {
    // Before the file is read: a short job may begin and end while it is.
    const isOver = child.exitCode !== null || child.signalCode !== null;
    if (parseStatus((await readFileText(place.status)) ?? '').started !== undefined) return;
    if (isOver && !existsSync(place.started)) break;
    await delay(10);
  }
  child.kill('SIGKILL');
  throw new Error('the launch script did not start');
}

/** Ends what is lent to a draft of this machine's. */
export function letGoOf({ users }: Pick<JobHost, 'users'>, devices: DevicePool | undefined): LetGo {
  return async (holder) => {
    await devices?.letGo(holder);
    await users?.letGo(holder);
  };
}

/**
 * Prepares a run where nobody else writes, puts it in its place and starts it, or starts what
 * another attempt has put there. A failure is written down as the job's outcome.
 *
 * @returns the launch script, or undefined when the job did not start
 * @throws ClaimLost, or an error that passes
 */
export async function launch(
  jobHost: JobHost,
  method: RunMethod,
  wanted: Workload,
  place: JobDirectory,
): Promise<ChildProcess | undefined> {
  const workload = confined(jobHost, wanted);
  if (!existsSync(place.root)) {
    const { jobsRoot } = jobHost;
    await prepareOnce({
      jobsRoot,
      workload,
      make: (making) => make(jobHost, method, workload, making),
      letGo: letGoOf(jobHost, method.devices),
    });
  } else if (!(await workload.claim.isHeld())) throw new ClaimLost(workload.job);
  return existsSync(place.outcome) ? undefined : startPlaced(jobHost, method, workload, place);
}

/**
 * Without a cgroup nothing holds a job back for others: there it has what is its own, and no more.
 */
function confined({ isolation: { cgroups } }: JobHost, workload: Workload): Workload {
  return cgroups === undefined
    ? { ...workload, limits: { ...workload.limits, ...workload.limits.guaranteed } }
    : workload;
}

/** Fetches what the task names, fills its volumes, and writes down how it is started. */
async function make(
  jobHost: JobHost,
  method: RunMethod,
  workload: Workload,
  making: Making,
): Promise<void> {
  const { draft, place } = making;
  const { job, limits } = workload;
  const record = recordOf(jobHost, workload, making);
  await writeJson(draft.record, record);
  check(workload, method);
  const prepared = await method.prepare(workload, making, { fetch: fetchAt(jobHost) });
  if (!prepared.ok) throw new JobFailure(prepared.code, prepared.message, prepared.transient);
  await loadVolumes(jobHost.stager, workload, draft);
  const { command, reserve } = prepared;
  const devices = await lendTo(method.devices, holderOf(draft), workload);
  const confinement = confinementOf(jobHost, method, workload, place, {
    cgroup: record.cgroup,
    devices,
  });
  // The client's variables come first: none of them can take the place of ours.
  const environment = {
    ...prepared.environment,
    ...environmentOf(workload, place),
    ...(method.devices && deviceEnvironment(devices)),
  };
  const uid = await lendUser(jobHost, draft, record);
  await writeLaunch(draft, {
    job,
    started: place.started,
    command,
    environment,
    limits,
    uid,
    reserve,
    ...confinement,
  });
  if (uid !== undefined) await grant(draft, uid);
}

function recordOf(
  { isolation: { cgroups } }: JobHost,
  workload: Workload,
  { draft, place }: Making,
): Omit<RunRecord, 'uid'> {
  return {
    limits: workload.limits,
    holder: holderOf(draft),
    staged: stagedOf(workload, place),
    cgroup: cgroups && cgroupOf(cgroups, workload.job),
  };
}

/** @throws JobFailure */
function check({ task, volumes }: Workload, method: RunMethod): void {
  if (!method.runs.includes(task.type))
    throw new JobFailure('runner-failed', `the runner ${method.name} does not run ${task.type}`);
  const alike =
    new Set(volumes.map(({ name }) => name)).size < volumes.length ||
    new Set(volumes.map(({ path }) => normalize(`${path}/`))).size < volumes.length;
  const problem =
    volumes.map((volume) => method.volumeProblem(volume)).find((text) => text !== undefined) ??
    (alike ? 'two volumes have the same name or the same path' : undefined);
  if (problem !== undefined) throw new JobFailure('runner-failed', problem);
}

function fetchAt(jobHost: JobHost) {
  return async (source: Source): Promise<Fetched> =>
    source.kind === 'inline'
      ? { ok: true, content: Buffer.from(source.text) }
      : fetchSource(source.url, jobHost.urls);
}

/** What every job finds in its environment, and nothing else of the service's. */
function environmentOf(
  { limits, environment }: Workload,
  place: JobDirectory,
): Readonly<Record<string, string>> {
  return {
    ...environment,
    PATH: JOB_PATH,
    HOME: place.work,
    TMPDIR: place.tmp,
    LANG: 'C.UTF-8',
    OMP_NUM_THREADS: String(Math.max(1, Math.floor(limits.cores / 1000))),
  };
}

async function lendUser(
  { users }: JobHost,
  draft: JobDirectory,
  record: Omit<RunRecord, 'uid'>,
): Promise<number | undefined> {
  if (users === undefined) return undefined;
  const uid = await users.lend(holderOf(draft), async (wanted) =>
    writeJson(draft.record, { ...record, uid: wanted }),
  );
  if (uid === undefined)
    throw new NotYet('all users that jobs can run as are lent to running jobs');
  return uid;
}

/**
 * Starts what is in its place. What cannot be started is one that has ended, or
 * is taken away for another try.
 */
async function startPlaced(
  jobHost: JobHost,
  method: RunMethod,
  workload: Workload,
  place: JobDirectory,
): Promise<ChildProcess | undefined> {
  try {
    const child = await start(place);
    await untilStarted(place, child);
    return child;
  } catch (error) {
    if (!(await workload.claim.isHeld())) throw new ClaimLost(workload.job);
    if (!(await takeStart(place))) return undefined;
    const { holder } = parseRecord(await readJson(place.record)) ?? {};
    if (isPassing(error)) await discard(jobHost.jobsRoot, place.root);
    else await writeJsonOnce(place.outcome, unstarted(error));
    if (holder !== undefined) await letGoOf(jobHost, method.devices)(holder);
    if (isPassing(error)) throw error;
    return undefined;
  }
}
