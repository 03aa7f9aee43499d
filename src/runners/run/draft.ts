import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { RunId } from '../../words/run-id.ts';
import { parseRunId } from '../../words/run-id.ts';
import { ClaimLost } from '../claim-lost.ts';
import { isPassing } from '../passing.ts';
import type { Outcome, Workload } from '../port.ts';
import { errorCode } from '../../words/system-error.ts';
import { unstarted } from './unstarted.ts';
import {
  directoryAt,
  directoryOf,
  removeTree,
  writable,
  writeJson,
  type JobDirectory,
} from './directory.ts';
import type { RunRecord } from './record.ts';
import { stagedOf } from './staging.ts';

/**
 * The preparation of a run. It happens in a draft: a directory of one attempt, which a rename makes
 * the directory of the run. So two executors never write to the same files, and one of several
 * attempts takes the place as a whole.
 */
export type Making = {
  /** where its files are written */
  readonly draft: JobDirectory;
  /** where they will be, and the paths by which they refer to each other */
  readonly place: JobDirectory;
};

/**
 * Writes the record of a run, by which others look after it, and its empty output files.
 *
 * @param more what an engine notes besides
 */
export async function beginRecord(
  workload: Workload,
  { draft, place }: Making,
  more: Partial<RunRecord> = {},
): Promise<Omit<RunRecord, 'uid' | 'cgroup'>> {
  const record = {
    limits: workload.limits,
    staged: stagedOf(workload, place),
    holder: holderOf(draft),
    engine: workload.engine,
    ...more,
  };
  await writeJson(draft.record, record);
  for (const path of [draft.stdout, draft.stderr])
    await writeFile(path, '', { mode: 0o600, flag: 'wx' });
  return record;
}

/** Where drafts are, in the directory of all jobs. */
export const DRAFTS = '.drafts';
const GONE = '.gone-';

/** Whether something is being removed. */
export function isGone(name: string): boolean {
  return name.startsWith(GONE);
}

/** Name of a draft, which is the holder of its loans: run, attempt and a random part. */
export function holderOf({ root }: JobDirectory): string {
  return basename(root);
}

/** The run of a holder. */
export function runOfHolder(holder: string): RunId | undefined {
  return parseRunId(holder.split('.')[0] ?? '');
}

/** The attempt that made a draft. */
export function attemptOf(holder: string): number {
  return Number(holder.split('.')[1]);
}

/** Where a draft is, or was. */
export function draftRoot(jobsRoot: string, holder: string): string {
  return join(jobsRoot, DRAFTS, holder);
}

/**
 * Removes a directory with all that is in it; nobody sees half of it under its name.
 * @param meanwhile done when nobody can use it any more
 */
export async function discard(
  jobsRoot: string,
  root: string,
  meanwhile: () => Promise<void> = async () => undefined,
): Promise<void> {
  const gone = join(jobsRoot, DRAFTS, `${GONE}${randomUUID()}`);
  await mkdir(dirname(gone), { recursive: true, mode: 0o700 });
  try {
    await rename(root, gone);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return meanwhile();
    throw error;
  }
  await meanwhile();
  return removeTree(gone);
}

/** Ends everything that is lent to a draft, by its name. */
export type LetGo = (holder: string) => Promise<void>;

/**
 * Removes the drafts of a run, so that none of them can take its place any more.
 *
 * @param latest of attempts up to this one
 */
export async function discardDrafts(
  jobsRoot: string,
  run: RunId,
  letGo: LetGo,
  latest = Infinity,
): Promise<void> {
  const names = await readdir(join(jobsRoot, DRAFTS)).catch(() => []);
  for (const name of names) {
    if (!name.startsWith(`${run}.`) || attemptOf(name) > latest) continue;
    await discard(jobsRoot, draftRoot(jobsRoot, name), () => letGo(name));
  }
}

const TAKEN = new Set(['ENOTEMPTY', 'EEXIST', 'ENOTDIR']);

type Preparation = {
  readonly jobsRoot: string;
  readonly workload: Workload;
  readonly make: (making: Making) => Promise<void>;
  readonly letGo: LetGo;
  /** the outcome of a run that could not be made; undefined when the error may pass */
  readonly failure?: (error: unknown) => Outcome | undefined;
};

/**
 * Prepares a run and puts it in its place, ready to start, or ended when it could not be made. What
 * another attempt has put there stays.
 *
 * @returns whether it was this attempt
 * @throws ClaimLost, or an error that passes
 */
export async function prepareOnce(preparation: Preparation): Promise<boolean> {
  const { jobsRoot, workload, letGo } = preparation;
  const { job, claim } = workload;
  await discardDrafts(jobsRoot, job, letGo, claim.attempt);
  const making: Making = {
    draft: await openDraft(jobsRoot, workload),
    place: directoryOf(jobsRoot, job),
  };
  const { draft } = making;
  let isPlaced = false;
  try {
    await makeOrFail(making, preparation);
    if (!(await claim.isHeld())) throw new ClaimLost(job);
    isPlaced = await putInPlace(making);
    return isPlaced;
  } catch (error) {
    throw existsSync(draft.root) || isPassing(error) ? error : new ClaimLost(job);
  } finally {
    if (!isPlaced) await discard(jobsRoot, draft.root, () => letGo(holderOf(draft)));
  }
}

async function openDraft(
  jobsRoot: string,
  { job, claim: { attempt } }: Pick<Workload, 'job' | 'claim'>,
): Promise<JobDirectory> {
  const draft = directoryAt(
    draftRoot(jobsRoot, `${job}.${attempt}.${randomUUID().slice(0, 8)}`),
    job,
  );
  await mkdir(dirname(draft.root), { recursive: true, mode: 0o700 });
  for (const path of [draft.root, draft.task, ...writable(draft)])
    await mkdir(path, { mode: 0o700 });
  return draft;
}

/**
 * Makes the run in its draft; one that cannot be made is one that has ended.
 * @throws Error when that may pass
 */
async function makeOrFail(
  making: Making,
  { make, letGo, failure = failed }: Preparation,
): Promise<void> {
  const { draft } = making;
  try {
    await make(making);
  } catch (error) {
    const outcome = failure(error);
    // Whoever removed the draft has the job; a failure without the draft does not count.
    if (outcome === undefined || !existsSync(draft.root)) throw error;
    await letGo(holderOf(draft));
    await writeJson(draft.outcome, outcome);
  }
}

function failed(error: unknown): Outcome | undefined {
  return isPassing(error) ? undefined : unstarted(error);
}

/** @returns false when another attempt's is there */
async function putInPlace({ draft, place }: Making): Promise<boolean> {
  try {
    await rename(draft.root, place.root);
    return true;
  } catch (error) {
    if (TAKEN.has(errorCode(error) ?? '')) return false;
    throw error;
  }
}
