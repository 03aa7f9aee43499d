import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { jobOfRun, machineName, type RunId } from '../../words/run-id.ts';
import { errorCode } from '../system-error.ts';

/** Where everything of one run lies, which is a job or one machine of it. What the service believes is outside the three directories the job can write. */
export type JobDirectory = {
  readonly job: RunId;
  readonly root: string;
  /** what was started, as JSON: limits and user */
  readonly record: string;
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

/** Where everything of a run lies: a directory of its own, that of one machine inside its job's. */
export const rootOf = (jobsRoot: string, run: RunId): string => {
  const { job, machine } = jobOfRun(run);
  return machine === undefined ? join(jobsRoot, job) : join(jobsRoot, job, machineName(machine));
};

/** The places of a run below the directory of all jobs; nothing is created. */
export const directoryOf = (jobsRoot: string, job: RunId): JobDirectory => {
  const root = rootOf(jobsRoot, job);
  const at = (name: string): string => join(root, name);
  return {
    job, root,
    record: at('job.json'), status: at('status'), stopped: at('stopped.json'), outcome: at('outcome.json'),
    script: at('job.sh'), stdout: at('stdout'), stderr: at('stderr'),
    task: at('task'), work: at('work'), tmp: at('tmp'), out: at('out'), volumes: at('volumes'),
  };
};

/** Directories of the job that the job itself writes to; what is in them counts against its scratch limit. */
export const writable = (place: JobDirectory): readonly string[] => [place.work, place.tmp, place.out, place.volumes];

/** @returns the text of a file, or undefined when there is none. */
export const readText = async (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });

/** @returns parsed JSON, or undefined when the file is missing or not JSON. */
export const readJson = async (path: string): Promise<unknown> => {
  const text = await readText(path);
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
};

let written = 0;

const writeBeside = async (path: string, value: unknown): Promise<string> => {
  written += 1;
  const draft = `${path}.${process.pid}.${written}`;
  await writeFile(draft, JSON.stringify(value), { mode: 0o600, flag: 'wx' });
  return draft;
};

/** Writes JSON so that a reader sees all of it or nothing. */
export const writeJson = async (path: string, value: unknown): Promise<void> =>
  rename(await writeBeside(path, value), path);

/** Writes JSON unless the file is already there: the first writer wins, among processes too. */
export const writeJsonOnce = async (path: string, value: unknown): Promise<void> => {
  const draft = await writeBeside(path, value);
  await link(draft, path).catch((error: unknown) => {
    if (errorCode(error) !== 'EEXIST') throw error;
  });
  await rm(draft);
};

/** Makes a fresh, empty job directory; what an interrupted submit left is removed. */
export const createDirectory = async (place: JobDirectory): Promise<void> => {
  await rm(place.root, { recursive: true, force: true });
  await mkdir(place.root, { mode: 0o700 });
  for (const path of [place.task, ...writable(place)]) await mkdir(path, { mode: 0o700 });
};
