import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { NonEmpty } from '../../../words/ids.ts';
import { hasEnvironment, membersOf, readProcesses, type Process } from './processes.ts';
import { emptyCgroup, type Cgroup } from '../cgroup/cgroup.ts';
import { JOB_PATH, MARKER } from '../../run/environment.ts';
import { killUser } from '../start/script.ts';
import { signal } from './signal.ts';
import type { Status } from './status.ts';

/** The processes of one running job. */
type JobTree = {
  readonly job: string;
  readonly script: number;
  readonly uid: number | undefined;
  readonly cgroup: Cgroup | undefined;
  /** a file that is there as long as the user is this job's; undefined without a user */
  readonly proof: string | undefined;
};

/** All processes of the job that are alive, without the launch script. */
export function processesOf(
  { job, script, uid }: Pick<JobTree, 'job' | 'script' | 'uid'>,
  processes = readProcesses(),
): readonly Process[] {
  return membersOf(
    { script, uid, isMarked: (pid) => hasEnvironment(pid, `${MARKER}=${job}`) },
    processes,
  );
}

/**
 * Runs a command if a user is still lent to a job. Another process checks this and acts at once:
 * when we stand still between the two, the user may belong to another job by then.
 */
export function runWhileLent(proof: string, words: NonEmpty<string>): Promise<void> {
  return run(['/bin/sh', '-c', '[ -e "$0" ] || exit 0; exec "$@"', proof, ...words]);
}

const NO_PROCESS = -1;
const GRACE = 2000;
const ROUNDS = 200;

/**
 * Ends all processes of a job: SIGTERM, 2 s to tidy up, then SIGKILL until nothing is found. The
 * launch script is left alone, so that it can write how the job ended.
 *
 * @returns false when something could not be killed within 10 s (a
 * process in an uninterruptible wait)
 */
export async function killTree(tree: JobTree): Promise<boolean> {
  const members = (): readonly Process[] =>
    tree.proof !== undefined && !existsSync(tree.proof) ? [] : processesOf(tree);
  const first = members();
  if (first.length > 0) {
    await signalTree(tree, first, 'SIGTERM');
    for (let waited = 0; waited < GRACE && members().length > 0; waited += 50) await delay(50);
  }
  const isEmpty = tree.cgroup !== undefined && (await emptyCgroup(tree.cgroup));
  // One look may miss a process that forks meanwhile; a cgroup misses none.
  if (first.length === 0 && isEmpty) return true;
  for (let round = 0; round < ROUNDS; round += 1) {
    const left = members();
    if (left.length === 0) return true;
    await signalTree(tree, left, 'SIGKILL');
    await delay(50);
  }
  return false;
}

/** Ends what a run left behind whose launch script is gone. */
export async function endLeftovers(
  tree: Omit<JobTree, 'script'>,
  { started, exit }: Pick<Status, 'started' | 'exit'>,
): Promise<void> {
  if (started === undefined) return;
  if (exit === undefined) endTimer(started.pid);
  // The pid of the script may be another's by now: only user and marker count.
  await killTree({ ...tree, script: NO_PROCESS });
}

async function run([program, ...words]: readonly [string, ...string[]]): Promise<void> {
  return new Promise((resolve) => {
    const child = spawn(program, words, { stdio: 'ignore', env: { PATH: JOB_PATH } });
    child.on('error', () => resolve()).on('exit', () => resolve());
  });
}

async function signalTree(
  { uid, proof }: JobTree,
  members: readonly Process[],
  name: 'SIGTERM' | 'SIGKILL',
): Promise<void> {
  if (uid === undefined || proof === undefined) signalAll(members, name);
  else await runWhileLent(proof, killUser(uid, name));
}

/**
 * Signals groups first: the kernel signals a whole group at once, so a process that keeps forking
 * does not escape.
 */
function signalAll(members: readonly Process[], name: NodeJS.Signals): void {
  for (const group of new Set(members.map((member) => member.group))) signal(-group, name);
  for (const { pid } of members) signal(pid, name);
}

/**
 * A launch script that is killed leaves its timer behind, which must not signal a later process. The
 * timer is in the script's group. A group that has its leader is not the dead script's: another
 * process got its pid.
 */
function endTimer(script: number): void {
  const group = readProcesses().filter(
    (entry) => entry.group === script && entry.session === script,
  );
  if (group.length === 0 || group.some(({ pid }) => pid === script)) return;
  signal(-script, 'SIGKILL');
}
