import { existsSync } from 'node:fs';
import { limitConcurrency } from '../../words/concurrency.ts';
import { JobFailure } from '../../words/job-failure.ts';
import { errorText } from '../../words/system-error.ts';
import { ClaimLost } from '../claim-lost.ts';
import { GiveAgain, isPassing } from '../passing.ts';
import type { Workload } from '../port.ts';
import { directoryOf, writeJsonOnce } from '../run/directory.ts';
import { prepareOnce, type LetGo } from '../run/draft.ts';
import { STOPPED_BEFORE } from '../run/outcome.ts';
import { unstarted } from '../run/unstarted.ts';
import { makeContainer, type ContainerEngine } from './begin.ts';
import { giveBackAll } from './give-back.ts';
import { startPlaced } from './start.ts';

/** Containers that are begun at the same time: more only make an engine slower. */
const AT_ONCE = 4;

/**
 * @param letGo ends what is lent to a draft
 * @returns what prepares a run that is not known yet, and starts it. It writes a failure down as the
 *   outcome; `signal` stops the preparation
 * @throws ClaimLost, an error that passes, or GiveAgain when the engine cannot be asked
 */
export function submitter(engine: ContainerEngine, letGo: LetGo) {
  const turns = limitConcurrency(AT_ONCE);
  return (workload: Workload, signal: AbortSignal): Promise<void> =>
    turns(() => submit(engine, workload, letGo, signal));
}

/** The engine could not be asked: the job is given to it again. */
export function askAgain(error: unknown): GiveAgain {
  return new GiveAgain(errorText(error), { cause: error });
}

async function submit(
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
