import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { hasEnvironment, membersOf, readProcesses, type Process } from './census.ts';
import { emptyCgroup, type Cgroup } from './cgroup.ts';
import { killUser, MARKER } from './script.ts';
import { signal } from './signal.ts';

/** The processes of one running job. */
export type JobTree = { readonly job: string; readonly script: number; readonly uid: number | undefined; readonly cgroup: Cgroup | undefined };

/** All processes of the job that are alive, without the launch script. */
export const processesOf = ({ job, script, uid }: Omit<JobTree, 'cgroup'>, processes = readProcesses()): readonly Process[] =>
  membersOf({ script, uid, isMarked: (pid) => hasEnvironment(pid, `${MARKER}=${job}`) }, processes);

/** Groups first: the kernel signals a whole group at once, so a process that forks all the time does not get away. */
const signalAll = (members: readonly Process[], name: NodeJS.Signals): void => {
  for (const group of new Set(members.map((member) => member.group))) signal(-group, name);
  for (const { pid } of members) signal(pid, name);
};

const run = async ([program, ...words]: readonly [string, ...string[]]): Promise<void> =>
  new Promise((resolve) => {
    const child = spawn(program, words, { stdio: 'ignore', env: { PATH: '/usr/local/bin:/usr/bin:/bin' } });
    child.on('error', () => resolve()).on('exit', () => resolve());
  });

const GRACE = 2000;
const ROUNDS = 200;

/**
 * Ends all processes of a job: SIGTERM, 2 s to tidy up, then SIGKILL until nothing is found. The launch script is left
 * alone, so that it can write how the job ended.
 *
 * @returns false when something could not be killed within 10 s (a process in an uninterruptible wait)
 */
export const killTree = async (tree: JobTree): Promise<boolean> => {
  signalAll(processesOf(tree), 'SIGTERM');
  for (let waited = 0; waited < GRACE && processesOf(tree).length > 0; waited += 50) await delay(50);
  if (tree.cgroup !== undefined) await emptyCgroup(tree.cgroup);
  for (let round = 0; round < ROUNDS; round += 1) {
    const members = processesOf(tree);
    if (members.length === 0) return true;
    if (tree.uid === undefined) signalAll(members, 'SIGKILL');
    else await run(killUser(tree.uid));
    await delay(50);
  }
  return false;
};
