import { existsSync } from 'node:fs';
import { isRecord } from '../../../words/record.ts';
import { directoryOf, readJson } from '../../run/directory.ts';
import { draftRoot, runOfHolder } from '../../run/draft.ts';
import type { Loans } from './loans.ts';

/**
 * Whether a loan's holder is still somebody: a draft that is being made, or what
 * became a run that has not ended. The draft is looked for first, since it becomes the
 * run and never the other way round.
 */
export async function isLoanOwner(jobsRoot: string, holder: string): Promise<boolean> {
  const run = runOfHolder(holder);
  if (run === undefined || existsSync(draftRoot(jobsRoot, holder))) return true;
  const place = directoryOf(jobsRoot, run);
  const record = await readJson(place.record);
  return isRecord(record) && record['holder'] === holder && !existsSync(place.outcome);
}

/**
 * Ends what executors left lent that died in the middle of something. What is noted with a loan
 * names the engine that says when it ends.
 */
export async function endForgotten(jobsRoot: string, loans: Loans): Promise<void> {
  for (const loan of await loans.all())
    if (loan.note === '' && !(await isLoanOwner(jobsRoot, loan.holder))) await loans.end(loan);
}
