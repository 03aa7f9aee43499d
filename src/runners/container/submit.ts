import { existsSync } from 'node:fs';
import { JobFailure } from '../../words/job-failure.ts';
import { errorText } from '../../words/system-error.ts';
import { ClaimLost } from '../claim-lost.ts';
import { GiveAgain, isPassing } from '../passing.ts';
import type { Workload } from '../port.ts';
import { giveBackUser } from '../process/start/lend-user.ts';
import { directoryOf, writeJsonOnce, type JobDirectory } from '../run/directory.ts';
import { prepareOnce, type LetGo } from '../run/draft.ts';
import { STOPPED_BEFORE } from '../run/outcome.ts';
import { readRecord } from '../run/record.ts';
import { unstarted } from '../run/unstarted.ts';
import { makeContainer, type ContainerEngine } from './begin.ts';
import { startPlaced } from './start.ts';

/**
 * Prepares a run that is not known yet, and starts it. A failure is written down as its outcome.
 *
 * @param signal stops the preparation
 * @throws ClaimLost, an error that passes, or GiveAgain when the engine cannot be asked
 */
export async function submitContainer(
  engine: ContainerEngine,
  workload: Workload,
  letGo: LetGo,
  signal: AbortSignal,
): Promise<void> {
  const { jobsRoot } = engine.jobHost;
  const place = directoryOf(jobsRoot, workload.job);
  if (!existsSync(place.root)) {
    await prepareOnce({
      jobsRoot,
      workload,
      letGo,
      make: (making) => makeContainer(engine, workload, making, signal),
      failure: (error) =>
        signal.aborted ? STOPPED_BEFORE : isPassing(error) ? undefined : unstarted(error),
    });
  }
  if (existsSync(place.outcome)) return;
  try {
    await startPlaced(engine, workload, place);
  } catch (error) {
    if (error instanceof ClaimLost) throw error;
    if (!(error instanceof JobFailure)) throw askAgain(error);
    // Nobody can start it any more.
    await writeJsonOnce(place.outcome, unstarted(error));
    await giveBackAll(engine, place);
  }
}

/** Gives back everything that is lent to a run whose container is gone. */
export async function giveBackAll(
  { devices, jobHost }: Pick<ContainerEngine, 'devices' | 'jobHost'>,
  place: JobDirectory,
): Promise<void> {
  await devices?.giveBack(place.job);
  await giveBackUser(jobHost.users, place.job, await readRecord(place));
}

/** The engine could not be asked: the job is given to it again. */
export function askAgain(error: unknown): GiveAgain {
  return new GiveAgain(errorText(error), { cause: error });
}
