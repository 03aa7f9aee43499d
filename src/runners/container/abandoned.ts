import type { RunId } from '../../words/run-id.ts';
import type { ContainerEngine } from './begin.ts';
import { removeContainer } from './remove.ts';
import { giveBackAll } from './submit.ts';
import { directoryOf } from '../run/directory.ts';

/**
 * Jobs that were given up while their engine was away. Their containers may still run, and are
 * removed once the engine is back.
 */
export type Abandoned = {
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
