import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunId } from '../../words/run-id.ts';
import { removeTree } from '../run/directory.ts';
import { attemptOf, discard, draftRoot, DRAFTS, isGone, runOfHolder } from '../run/draft.ts';
import { endForgotten, isLoanOwner } from './start/loan-owners.ts';
import { openLoans } from './start/loans.ts';

/**
 * The state of a run in the book: the attempt that has it, or `over`; undefined when the book does
 * not know the run.
 */
export type Standing = number | 'over' | undefined;

/** The folders of loans. */
const LENT = ['.uids', '.devices'];
/** Every removal is over after this time. */
const REMOVED_BY_MS = 60_000;

/**
 * Removes what executors that died between two steps left: drafts of attempts that no longer have
 * their run, their loans, and directories that are half removed. A draft whose run the book does
 * not know may belong to another service, and stays.
 *
 * @param standings of runs, in their order
 */
export async function tidy(
  jobsRoot: string,
  standings: (runs: readonly RunId[]) => Promise<readonly Standing[]>,
): Promise<void> {
  const names = await namesIn(join(jobsRoot, DRAFTS));
  const drafts = names.flatMap((name) => {
    const run = runOfHolder(name);
    return run === undefined ? [] : [{ name, run }];
  });
  const known = drafts.length === 0 ? [] : await standings(drafts.map(({ run }) => run));
  for (const [index, { name }] of drafts.entries()) {
    const standing = known[index];
    const isStale = standing === 'over' || (standing !== undefined && attemptOf(name) < standing);
    if (isStale) await discard(jobsRoot, draftRoot(jobsRoot, name), () => letGoIn(jobsRoot)(name));
  }
  for (const lent of LENT) await tidyLoans(jobsRoot, join(jobsRoot, lent));
  for (const name of names.filter(isGone)) {
    const path = join(jobsRoot, DRAFTS, name);
    const since = (await stat(path).catch(() => undefined))?.ctimeMs;
    if (since !== undefined && Date.now() - since > REMOVED_BY_MS) await removeTree(path);
  }
}

function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(() => []);
}

/** Ends the loans of a draft, whatever was lent. */
function letGoIn(jobsRoot: string) {
  return async (holder: string): Promise<void> => {
    for (const lent of LENT) await openLoans(join(jobsRoot, lent)).endAll(holder);
  };
}

async function tidyLoans(jobsRoot: string, folder: string): Promise<void> {
  await endForgotten(jobsRoot, openLoans(folder));
  for (const name of await namesIn(folder)) {
    const [, holder] = /^\.[^.]+\.(.+)$/.exec(name) ?? [];
    if (holder !== undefined && !(await isLoanOwner(jobsRoot, holder)))
      await rm(join(folder, name), { recursive: true, force: true });
  }
}
