import { existsSync } from 'node:fs';
import type { StagingFailure } from '../../storage/failure.ts';
import type { Stager } from '../../storage/stager.ts';
import type { JobResult, Outcome } from '../port.ts';
import { writeJsonOnce, type JobDirectory } from './directory.ts';
import { failedRun, readOutcome, stopFor, usedOf } from './outcome.ts';
import type { RunRecord } from './record.ts';
import { fileResult, workResults } from './results.ts';
import { checkScratch } from './scratch.ts';
import { saveVolumes } from './staging.ts';
import {
  foldersOfInterpreter,
  OUTPUT,
  outputResult,
  readRunWorkflow,
} from '../workflows/ending.ts';

const TEXT = 'text/plain; charset=utf-8';

/** What every run leaves: what it printed, and the files of its working directory. */
export async function usualResults(
  place: JobDirectory,
  { uid, staged }: Pick<RunRecord, 'uid' | 'staged'>,
  taken = new Set(['stdout', 'stderr']),
): Promise<readonly JobResult[]> {
  const workflow = await readRunWorkflow(place);
  if (workflow !== undefined) taken.add(OUTPUT);
  const own =
    workflow === undefined ? { paths: [], names: [] } : foldersOfInterpreter(place, workflow);
  const usual = [
    ...(await fileResult(place.root, place.stdout, 'stdout', TEXT)),
    ...(await fileResult(place.root, place.stderr, 'stderr', TEXT)),
    ...(await workResults(
      place,
      uid,
      taken,
      new Set([...staged.map(({ directory }) => directory), ...own.paths]),
      new Set(own.names),
    )),
  ];
  return workflow === undefined
    ? usual
    : [...(await outputResult(place, workflow, usual)), ...usual];
}

/**
 * A run that used more than its scratch space and ended before anybody counted has not completed.
 *
 * @param isWhole whether all of its output was copied
 */
export async function withinScratch(
  place: JobDirectory,
  { limits }: Pick<RunRecord, 'limits'>,
  outcome: Outcome,
  isWhole: boolean,
): Promise<Outcome> {
  if (outcome.kind !== 'completed') return outcome;
  const stop =
    (await checkScratch(limits, place)) ?? (isWhole ? undefined : stopFor('output', limits));
  return stop === undefined
    ? outcome
    : { kind: 'stopped', ...stop, results: outcome.results, ...usedOf(outcome) };
}

/**
 * Stores the volumes of a run and writes down how it ended. The first outcome stays, and once it is
 * there nothing is stored: others may have stored newer contents.
 *
 * @returns the outcome that stays
 */
export async function storeOutcome(
  stager: Stager | undefined,
  place: JobDirectory,
  { staged, uid }: Pick<RunRecord, 'uid' | 'staged'>,
  outcome: Outcome,
): Promise<Outcome> {
  const unsaved = existsSync(place.outcome)
    ? undefined
    : await saveVolumes(stager, place, staged, uid);
  await writeJsonOnce(place.outcome, unsaved === undefined ? outcome : unstored(outcome, unsaved));
  return (await readOutcome(place)) ?? outcome;
}

/** A run whose results could not be stored has failed, unless it had failed already. */
function unstored(outcome: Outcome, { code, message, transient }: StagingFailure): Outcome {
  return outcome.kind === 'completed'
    ? { ...failedRun(code, message, { results: outcome.results, transient }), ...usedOf(outcome) }
    : outcome;
}
