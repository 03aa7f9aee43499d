import { existsSync } from 'node:fs';
import type { RunId } from '../../words/run-id.ts';
import { giveBackUser } from '../process/start/lend-user.ts';
import { directoryOf, writeJsonOnce, type JobDirectory } from '../run/directory.ts';
import { STOPPED_BEFORE } from '../run/outcome.ts';
import { readRecord } from '../run/record.ts';
import type { Runs } from '../run/runs.ts';
import type { ContainerEngine } from './begin.ts';
import { inspect } from './api/inspected.ts';
import { readEnd } from './end.ts';
import { removeContainer } from './remove.ts';
import { endTickets } from './tickets.ts';

/** Makes sure that a run that has not begun never does. */
export async function forestallContainer(
  engine: ContainerEngine,
  { closePlace, placeOf }: Pick<Runs, 'closePlace' | 'placeOf'>,
  job: RunId,
): Promise<void> {
  await closePlace(job);
  const place = placeOf(job);
  if (!existsSync(place.record) || existsSync(place.outcome)) return;
  await endTickets(place);
  const seen = await inspect(engine.api, job);
  // Somebody started it just before.
  if (seen !== undefined && seen.phase !== 'created') return;
  if ((await readEnd(place)) !== undefined) return;
  await removeContainer(engine.api, job);
  await writeJsonOnce(place.outcome, STOPPED_BEFORE);
  await giveBackAll(engine, place);
}

/** Gives back everything that is lent to a run whose container is gone. */
export async function giveBackAll(
  { devices, jobHost }: Pick<ContainerEngine, 'devices' | 'jobHost'>,
  place: JobDirectory,
): Promise<void> {
  await devices?.giveBack(place.job);
  await giveBackUser(jobHost.users, place.job, await readRecord(place));
}

/**
 * Jobs that this process gave up while their engine was away. Their containers may still run, and
 * are removed once the engine is back; after a restart, the book's message to stop does it.
 */
type Abandoned = {
  readonly add: (job: RunId) => void;
  readonly delete: (job: RunId) => void;
  readonly close: () => void;
};

const CLEAN_EVERY_MS = 5000;

/** Its timer keeps no process alive. */
export function openAbandoned(engine: ContainerEngine): Abandoned {
  const jobs = new Set<RunId>();
  const clean = async (): Promise<void> => {
    for (const job of jobs) {
      await removeContainer(engine.api, job);
      await giveBackAll(engine, directoryOf(engine.jobHost.jobsRoot, job));
      jobs.delete(job);
    }
  };
  const timer = setInterval(() => void clean().catch(() => undefined), CLEAN_EVERY_MS).unref();
  return {
    add: (job) => void jobs.add(job),
    delete: (job) => void jobs.delete(job),
    close: () => clearInterval(timer),
  };
}
