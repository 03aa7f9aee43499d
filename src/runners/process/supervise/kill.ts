import { chmod } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { JobDirectory } from '../../run/directory.ts';
import type { RunRecord } from '../../run/record.ts';
import { closeCgroup } from '../cgroup/cgroup.ts';
import type { JobHost } from '../start/host.ts';
import { isAlive, type Run } from './run.ts';
import { signal } from './signal.ts';
import type { Status } from './status.ts';
import { removeStrayFiles } from './stray-files.ts';
import { endLeftovers, killTree } from './tree.ts';

/** Kills all processes of a run, its launch script last. */
export async function killRun(
  jobHost: Pick<JobHost, 'users'>,
  { job }: JobDirectory,
  run: Run,
): Promise<void> {
  const { record, script } = run;
  const { uid, cgroup } = record;
  // A script that was about to start its command starts it between two rounds; one that hangs is
  // killed itself.
  for (let round = 0; isAlive(run); round += 1) {
    await killTree({ job, script: script.pid, uid, cgroup, proof: proofOf(jobHost, record) });
    for (let waited = 0; waited < 500 && isAlive(run); waited += 20) await delay(20);
    if (round >= 4 && isAlive(run)) signal(script.pid, 'SIGKILL');
  }
}

/**
 * Ends and removes everything that a run left behind but its directory, which is closed to its user.
 *
 * @returns whether the kernel had killed something of it for want of memory
 */
export async function clearUp(
  jobHost: Pick<JobHost, 'users'>,
  { job, root }: JobDirectory,
  record: RunRecord,
  status: Status,
): Promise<boolean> {
  const { uid, cgroup } = record;
  const proof = proofOf(jobHost, record);
  await endLeftovers({ job, uid, cgroup, proof }, status);
  const wasKilled = cgroup !== undefined && (await closeCgroup(cgroup));
  // Its user may be lent to another job, which must not get in here nor find what this one left
  // elsewhere.
  await chmod(root, 0o700);
  await removeStrayFiles(uid, proof);
  return wasKilled;
}

/** The file that is there as long as the run has its user. */
function proofOf(
  { users }: Pick<JobHost, 'users'>,
  { uid, holder }: RunRecord,
): string | undefined {
  return uid === undefined ? undefined : users?.proof({ uid, holder });
}
