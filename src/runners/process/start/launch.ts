import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { normalize } from 'node:path';
import { JobFailure } from '../../../words/job-failure.ts';
import { ClaimLost } from '../../claim-lost.ts';
import { isPassing } from '../../passing.ts';
import type { Workload } from '../../port.ts';
import { takeStart, writeJsonOnce, type JobDirectory } from '../../run/directory.ts';
import {
  beginRecord,
  discard,
  holderOf,
  prepareOnce,
  type LetGo,
  type Making,
} from '../../run/draft.ts';
import { hostEnvironment } from '../../run/environment.ts';
import { notExecuted } from '../../run/program.ts';
import { readRecord } from '../../run/record.ts';
import { loadVolumes } from '../../run/staging.ts';
import { unstarted } from '../../run/unstarted.ts';
import { cgroupOf } from '../cgroup/cgroup.ts';
import { confinementOf } from './confinement.ts';
import { deviceEnvironment, lendTo, type DevicePool } from './devices.ts';
import type { JobHost } from './host.ts';
import { lendUser } from './lend-user.ts';
import type { RunMethod } from './run-method.ts';
import { grant, start, untilStarted, writeLaunch } from './start.ts';

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
  const { cgroups } = jobHost.isolation;
  const cgroup = cgroups && cgroupOf(cgroups, job);
  const record = await beginRecord(workload, making, { cgroup });
  check(workload, method);
  const prepared = await method.prepare(workload, making, jobHost.urls);
  await loadVolumes(jobHost.stager, workload, draft);
  const { command, reserve } = prepared;
  const devices = await lendTo(method.devices, holderOf(draft), workload);
  const confinement = confinementOf(jobHost, method, workload, place, { cgroup, devices });
  // The client's variables come first: none of them can replace ours.
  const environment = {
    ...prepared.environment,
    ...hostEnvironment(workload, place),
    ...(method.devices && deviceEnvironment(devices)),
  };
  const uid = jobHost.users && (await lendUser(jobHost.users, draft, record));
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

/** @throws JobFailure */
function check({ task, volumes }: Workload, method: RunMethod): void {
  if (!method.runs.includes(task.type)) throw notExecuted(method.name, task);
  const alike =
    new Set(volumes.map(({ name }) => name)).size < volumes.length ||
    new Set(volumes.map(({ path }) => normalize(`${path}/`))).size < volumes.length;
  const problem =
    volumes.map((volume) => method.volumeProblem(volume)).find((text) => text !== undefined) ??
    (alike ? 'two volumes have the same name or the same path' : undefined);
  if (problem !== undefined) throw new JobFailure('runner-failed', problem);
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
    const { holder } = (await readRecord(place)) ?? {};
    if (isPassing(error)) await discard(jobHost.jobsRoot, place.root);
    else await writeJsonOnce(place.outcome, unstarted(error));
    if (holder !== undefined) await letGoOf(jobHost, method.devices)(holder);
    if (isPassing(error)) throw error;
    return undefined;
  }
}
