import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { ClaimLost } from '../../claim-lost.ts';
import { isPassing, NotYet } from '../../passing.ts';
import type { Workload } from '../../port.ts';
import { takeStart, writeJsonOnce, type JobDirectory } from '../../run/directory.ts';
import { discard, prepareOnce, type LetGo } from '../../run/draft.ts';
import { STOPPED_BEFORE } from '../../run/outcome.ts';
import { readRecord } from '../../run/record.ts';
import { unstarted } from '../../run/unstarted.ts';
import type { DevicePool } from './devices.ts';
import type { JobHost } from './host.ts';
import { makeRun } from './make.ts';
import type { RunMethod } from './run-method.ts';
import { start, untilStarted } from './start.ts';

/** Ends everything that is lent to a draft on this machine. */
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
      make: (making) => makeRun(jobHost, method, workload, making),
      letGo: letGoOf(jobHost, method.devices),
    });
  } else if (!(await workload.claim.isHeld())) throw new ClaimLost(workload.job);
  return existsSync(place.outcome) ? undefined : startPlaced(jobHost, method, workload, place);
}

/** Makes sure that a run that has not begun never does. @returns false when it has */
export async function forestallRun(place: JobDirectory, letGo: LetGo): Promise<boolean> {
  const record = await readRecord(place);
  if (record === undefined || existsSync(place.outcome)) return true;
  if (!(await takeStart(place))) return false;
  await writeJsonOnce(place.outcome, STOPPED_BEFORE);
  if (record.holder !== undefined) await letGo(record.holder);
  return true;
}

/** Without a cgroup nothing holds a job back for others: it gets its minimum and no more. */
function confined({ isolation: { cgroups } }: JobHost, workload: Workload): Workload {
  return cgroups === undefined
    ? { ...workload, limits: { ...workload.limits, ...workload.limits.guaranteed } }
    : workload;
}

/**
 * Starts what is in its place. A run that cannot be started has ended, or is taken away for another
 * try.
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
    // A script that could not say that it runs has taken the right, and nobody begins any more.
    if (!(error instanceof NotYet || (await takeStart(place)))) return undefined;
    const { holder } = (await readRecord(place)) ?? {};
    if (isPassing(error)) await discard(jobHost.jobsRoot, place.root);
    else await writeJsonOnce(place.outcome, unstarted(error));
    if (holder !== undefined) await letGoOf(jobHost, method.devices)(holder);
    if (isPassing(error)) throw error;
    return undefined;
  }
}
