import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { JobId } from '../words/ids.ts';
import { machineRunId } from '../words/run-id.ts';
import { typeOfEngine, type Engine } from './engine.ts';
import { jobRunner } from './machines/runner.ts';
import type { JobRunner } from './port.ts';
import type { LocalSettings } from './process/start/host.ts';
import { directoryOf } from './run/directory.ts';
import { discard } from './run/draft.ts';
import { readRecord } from './run/record.ts';

/**
 * Settings of all runners of this version. They share `jobsRoot`: a result of a job
 * is at `<jobsRoot>/<job>/<path>`.
 */
type RunnerSettings = LocalSettings;

/** The runners of a site. Destinations with the same engine share one. */
export type Runners = {
  readonly all: readonly JobRunner[];
  readonly byDestination: ReadonlyMap<string, JobRunner>;
  /**
   * The runner of a job, by its destination and the name of the runner that it was promised. Of
   * several of this name the one that has it; when that is not known, that of its destination, or
   * any one where the destination is gone or has another runner now.
   */
  readonly of: (destination: string, runner: string, job: JobId) => Promise<JobRunner | undefined>;
  /**
   * Removes the files of a job that is over and whose runner nobody has any more.
   * @throws Error when its engine has not said that it ended
   */
  readonly discard: (job: JobId) => Promise<void>;
  /** the destinations whose jobs are reached from anywhere */
  readonly shared: readonly string[];
};

/**
 * Runners that are made elsewhere, for example by tests.
 * @param jobsRoot absent: they share no directory, and nobody discards anything
 */
export function runnersOf(
  byDestination: ReadonlyMap<string, JobRunner>,
  jobsRoot?: string,
): Runners {
  const all = [...new Set(byDestination.values())];
  const shared = [...byDestination]
    .filter(([, { reach }]) => reach === 'anywhere')
    .map(([destination]) => destination);
  return {
    all,
    byDestination,
    shared,
    of: async (destination, name, job) => {
      const own = byDestination.get(destination);
      const named = all.filter((runner) => runner.name === name);
      // Another engine knows nothing of the job, and would say that it is lost.
      const engine = named.length < 2 ? undefined : await engineOf(jobsRoot, job);
      const known = engine && named.find((runner) => runner.engine === engine);
      return known || (own?.name === name ? own : named[0]);
    },
    discard: async (job) => {
      if (jobsRoot === undefined) throw new Error(`nobody knows the directory of ${job}`);
      await discardEnded(jobsRoot, job);
    },
  };
}

/**
 * Makes the runners of an executor.
 *
 * @param engines those of the site's destinations, by id
 * @throws Error that names the runner and says what to change when it cannot work on this machine.
 */
export async function buildRunners(
  engines: ReadonlyMap<string, Engine>,
  settings: RunnerSettings,
): Promise<Runners> {
  const made = new Map<string, JobRunner>();
  const once = async (engine: Engine): Promise<JobRunner> => {
    const key = JSON.stringify(engine);
    const known = made.get(key);
    if (known !== undefined) return known;
    try {
      const opened = await typeOfEngine(engine).open(engine, settings);
      const runner = jobRunner(opened, settings.jobsRoot, digestOf(key));
      made.set(key, runner);
      return runner;
    } catch (error) {
      throw new Error(`the runner ${engine.runner} cannot work here`, { cause: error });
    }
  };
  const byDestination = new Map<string, JobRunner>();
  for (const [id, engine] of engines) byDestination.set(id, await once(engine));
  return runnersOf(byDestination, settings.jobsRoot);
}

/** Settings may have secrets, which no record gets. */
function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The engine that got a job, or the first of its machines. */
async function engineOf(jobsRoot: string | undefined, job: JobId): Promise<string | undefined> {
  if (jobsRoot === undefined) return undefined;
  for (const run of [job, machineRunId(job, 0)]) {
    const record = await readRecord(directoryOf(jobsRoot, run));
    if (record !== undefined) return record.engine;
  }
  return undefined;
}

async function discardEnded(jobsRoot: string, job: JobId): Promise<void> {
  const { root, outcome } = directoryOf(jobsRoot, job);
  // What runs can be stopped by what is in its directory, once the site has its engine again.
  if (existsSync(root) && !existsSync(outcome))
    throw new Error(`${job} may run, and its runner is not among those of the site`);
  await discard(jobsRoot, root);
}
