import { spawn, type ChildProcess } from 'node:child_process';
import { chmod, chown, lchown, open, readdir, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { giveTree, readFileText, writable, type JobDirectory } from '../../run/directory.ts';
import { launchScript, UNSAID, type Launch } from './script.ts';
import { NotYet } from '../../passing.ts';
import { JOB_PATH } from '../../run/environment.ts';
import { parseStatus } from '../supervise/status.ts';

/**
 * Gives the job's user its directories: he may pass through the job directory, read `task` and
 * write the writable directories. Called before the job runs, so nothing hostile is in them yet.
 */
export async function grant(place: JobDirectory, uid: number): Promise<void> {
  for (const path of writable(place)) await giveTree(path, uid, uid);
  await lendTree(place.task, uid);
  await chown(place.root, 0, uid);
  await chmod(place.root, 0o710);
}

/** Writes what starts a run into its draft. */
export async function writeLaunch(draft: JobDirectory, launch: Launch): Promise<void> {
  await writeFile(draft.script, launchScript(launch), { mode: 0o600, flag: 'wx' });
  await writeFile(draft.status, '', { mode: 0o600, flag: 'wx' });
  // A program that opens /dev/stdout again must own the file.
  if (launch.uid !== undefined)
    for (const path of [draft.stdout, draft.stderr]) await chown(path, launch.uid, launch.uid);
}

/**
 * Starts the launch script in a session of its own. Standard output and error are files that the
 * kernel writes to, so the job does not notice when the executor dies. Several executors may do
 * this: one of the scripts begins the run.
 */
export async function start(place: JobDirectory): Promise<ChildProcess> {
  const [stdout, stderr, status] = [
    await open(place.stdout, 'a'),
    await open(place.stderr, 'a'),
    await open(place.status, 'a'),
  ];
  try {
    return await new Promise<ChildProcess>((resolve, reject) => {
      const child = spawn('/bin/sh', [place.script], {
        cwd: place.work,
        detached: true,
        env: { PATH: JOB_PATH },
        stdio: ['ignore', stdout.fd, stderr.fd, status.fd],
      });
      child.once('error', reject).once('spawn', () => resolve(child));
    });
  } finally {
    for (const file of [stdout, stderr, status]) await file.close();
  }
}

/**
 * Waits until a launch script has said that it runs, so that the next look finds it. Another script
 * may have been first.
 *
 * @throws Error when ours ended without a word and nobody else has begun, or nobody said a word for
 *   10 s; NotYet when ours had the right to begin and no room for its word
 */
export async function untilStarted(
  place: Pick<JobDirectory, 'status' | 'started'>,
  child: Pick<ChildProcess, 'exitCode' | 'signalCode' | 'kill'>,
): Promise<void> {
  for (let waited = 0; waited < 10_000; waited += 10) {
    // Checked before the file is read: a short job may begin and end meanwhile.
    const isOver = child.exitCode !== null || child.signalCode !== null;
    if (parseStatus((await readFileText(place.status)) ?? '').started !== undefined) return;
    if (isOver && child.exitCode === UNSAID)
      throw new NotYet('the launch script could not say that it runs: is the disc full?');
    if (isOver && !existsSync(place.started)) break;
    await delay(10);
  }
  child.kill('SIGKILL');
  throw new Error('the launch script did not start');
}

/** The job's user may read a tree, which stays the service's. Nothing hostile ran yet. */
async function lendTree(path: string, uid: number): Promise<void> {
  await chown(path, 0, uid);
  await chmod(path, 0o750);
  for (const entry of await readdir(path, { withFileTypes: true })) {
    const inner = join(path, entry.name);
    if (entry.isDirectory()) await lendTree(inner, uid);
    else {
      await lchown(inner, 0, uid);
      if (entry.isFile()) await chmod(inner, 0o640);
    }
  }
}
