import { execFile } from 'node:child_process';
import { lchown, link, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { jobOfRun, machineName, type RunId } from '../../words/run-id.ts';
import { errorCode } from '../../words/system-error.ts';
import { parsedJson } from '../../words/record.ts';

/**
 * The files of one run: a job, or one machine of it. The files that the service trusts are outside
 * the directories that the job can write.
 */
export type JobDirectory = {
  readonly job: RunId;
  readonly root: string;
  /** what was started, as JSON: limits and user */
  readonly record: string;
  /** made by whoever begins the run, or prevents it: the first one wins, and the file stays */
  readonly started: string;
  /** written by the launch script through an open descriptor */
  readonly status: string;
  /** why the service stopped the job; its first writer wins */
  readonly stopped: string;
  /** how the run ended; once it is there it does not change */
  readonly outcome: string;
  readonly script: string;
  readonly stdout: string;
  readonly stderr: string;
  /** fetched notebook or program, read by the job */
  readonly task: string;
  /** working directory, written by the job; its files are results */
  readonly work: string;
  /** temporary files, written by the job */
  readonly tmp: string;
  /** what the runner's own program leaves (executed notebook), written by the job */
  readonly out: string;
  /** volumes that are not below the working directory, written by the job */
  readonly volumes: string;
};

/** The directory of a run; that of one machine is inside its job's. */
export function rootOf(jobsRoot: string, run: RunId): string {
  const { job, machine } = jobOfRun(run);
  return machine === undefined ? join(jobsRoot, job) : join(jobsRoot, job, machineName(machine));
}

/** The places of a run in a directory; nothing is created. */
export function directoryAt(root: string, job: RunId): JobDirectory {
  const at = (name: string): string => join(root, name);
  return {
    job,
    root,
    record: at('job.json'),
    started: at('started'),
    status: at('status'),
    stopped: at('stopped.json'),
    outcome: at('outcome.json'),
    script: at('job.sh'),
    stdout: at('stdout'),
    stderr: at('stderr'),
    task: at('task'),
    work: at('work'),
    tmp: at('tmp'),
    out: at('out'),
    volumes: at('volumes'),
  };
}

/** The places of a run below the directory of all jobs; nothing is created. */
export function directoryOf(jobsRoot: string, job: RunId): JobDirectory {
  return directoryAt(rootOf(jobsRoot, job), job);
}

/** Directories that the job writes to; their contents count against its scratch limit. */
export function writable(place: JobDirectory): readonly string[] {
  return [place.work, place.tmp, place.out, place.volumes];
}

/** @returns the text of a file, or undefined when there is none. */
export async function readFileText(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
}

/** @returns parsed JSON, or undefined when the file is missing or not JSON. */
export async function readJson(path: string): Promise<unknown> {
  const text = await readFileText(path);
  return text === undefined ? undefined : parsedJson(text);
}

let written = 0;

/** Writes JSON so that a reader sees all of it or nothing. */
export async function writeJson(path: string, value: unknown): Promise<void> {
  await writeBeside(path, value, (draft) => rename(draft, path));
}

/** Writes JSON unless the file is already there: the first writer wins, among processes too. */
export async function writeJsonOnce(path: string, value: unknown): Promise<void> {
  await writeBeside(path, value, (draft) =>
    link(draft, path).catch((error: unknown) => {
      if (errorCode(error) !== 'EEXIST') throw error;
    }),
  );
}

/**
 * Takes the right to begin a run, or to prevent it.
 * @returns false when somebody else has it
 */
export async function takeStart({ started }: Pick<JobDirectory, 'started'>): Promise<boolean> {
  try {
    await writeFile(started, '', { mode: 0o600, flag: 'wx' });
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Removes a directory with all that is in it. */
export async function removeTree(path: string): Promise<void> {
  const options = { recursive: true, force: true, maxRetries: 3 } as const;
  await rm(path, options).catch(async () => {
    // A job may have removed the write permission of its own directories, and may have made paths
    // that are too long for the system, where these programs go step by step. They follow no links
    // below their argument.
    await promisify(execFile)('chmod', ['-R', 'u+rwX', path]);
    await promisify(execFile)('rm', ['-rf', path]);
  });
}

/**
 * Gives a directory with all that is in it to a user, before his job runs. Of a link that something
 * brought there he gets the link, and not what it leads to.
 */
export async function giveTree(path: string, uid: number, gid: number): Promise<void> {
  await lchown(path, uid, gid);
  for (const entry of await readdir(path, { withFileTypes: true })) {
    const inner = join(path, entry.name);
    await (entry.isDirectory() ? giveTree(inner, uid, gid) : lchown(inner, uid, gid));
  }
}

/** Nothing is left beside the file, also on a full disc, where many tries follow each other. */
async function writeBeside(
  path: string,
  value: unknown,
  place: (draft: string) => Promise<void>,
): Promise<void> {
  written += 1;
  const draft = `${path}.${process.pid}.${written}`;
  try {
    await writeFile(draft, JSON.stringify(value), { mode: 0o600, flag: 'wx' });
    await place(draft);
  } finally {
    await rm(draft, { force: true });
  }
}
