import { spawn, type ChildProcess } from 'node:child_process';
import { chmod, chown, open, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writable, type JobDirectory } from '../../run/directory.ts';
import { launchScript, type Launch } from './script.ts';

/** PATH of every job, and of the script over it. */
export const JOB_PATH = '/usr/local/bin:/usr/bin:/bin';

/**
 * Gives the job's own user what is the job's: it may pass through the job directory,
 * read `task` and write the writable directories. Called before the job runs, so
 * nothing hostile is in them yet.
 */
export async function grant(place: JobDirectory, uid: number): Promise<void> {
  for (const path of writable(place)) await chownTree(path, uid);
  const names = await readdir(place.task);
  for (const name of names) {
    await chown(join(place.task, name), 0, uid);
    await chmod(join(place.task, name), 0o640);
  }
  await chown(place.task, 0, uid);
  await chmod(place.task, 0o750);
  await chown(place.root, 0, uid);
  await chmod(place.root, 0o710);
}

/** Writes what starts a run into its draft. */
export async function writeLaunch(draft: JobDirectory, launch: Launch): Promise<void> {
  await writeFile(draft.script, launchScript(launch), { mode: 0o600, flag: 'wx' });
  for (const path of [draft.stdout, draft.stderr, draft.status])
    await writeFile(path, '', { mode: 0o600, flag: 'wx' });
  // A program that opens /dev/stdout again needs the file to be its own.
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

async function chownTree(path: string, uid: number): Promise<void> {
  await chown(path, uid, uid);
  const entries = await readdir(path, { withFileTypes: true });
  for (const entry of entries) {
    const child = join(path, entry.name);
    if (entry.isDirectory()) await chownTree(child, uid);
    else await chown(child, uid, uid);
  }
}
