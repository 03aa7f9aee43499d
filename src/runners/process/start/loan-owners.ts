import { existsSync } from 'node:fs';
import { isRecord } from '../../../words/record.ts';
import { directoryOf, readJson } from '../../run/directory.ts';
import { draftRoot, runOfHolder } from '../../run/draft.ts';
import type { Loans } from './loans.ts';

/**
 * Whether the holder of a loan still exists: a draft that is being made, or a run that has not
 * ended. It looks for the draft first, since a draft becomes a run and never the reverse.
 */
export async function isLoanOwner(jobsRoot: string, holder: string): Promise<boolean> {
  const run = runOfHolder(holder);
  if (run === undefined || existsSync(draftRoot(jobsRoot, holder))) return true;
  const place = directoryOf(jobsRoot, run);
  const record = await readJson(place.record);
  return isRecord(record) && record['holder'] === holder && !existsSync(place.outcome);
}

/**
 * Ends loans that dead executors left. A loan with a note ends when the engine that the note names
 * says so.
 */
export async function endForgotten(jobsRoot: string, loans: Loans): Promise<void> {
  for (const loan of await loans.all())
    if (loan.note === '' && !(await isLoanOwner(jobsRoot, loan.holder))) await loans.end(loan);
}
