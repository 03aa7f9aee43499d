import { typeOfEngine, type Engine } from './engine.ts';
import { jobRunner } from './machines/runner.ts';
import type { JobRunner } from './port.ts';
import type { LocalSettings } from './process/start/host.ts';

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
   * The runner of a destination. For a destination that the site file no longer names, any runner
   * of this name.
   */
  readonly of: (destination: string, runner: string) => JobRunner | undefined;
  /** the destinations whose jobs are reached from anywhere */
  readonly shared: readonly string[];
};

/** Runners that are made elsewhere, for example by tests. */
export function runnersOf(byDestination: ReadonlyMap<string, JobRunner>): Runners {
  const all = [...new Set(byDestination.values())];
  const shared = [...byDestination]
    .filter(([, { reach }]) => reach === 'anywhere')
    .map(([destination]) => destination);
  return {
    all,
    byDestination,
    shared,
    of: (destination, name) =>
      byDestination.get(destination) ?? all.find((runner) => runner.name === name),
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
      const runner = jobRunner(opened, settings.jobsRoot);
      made.set(key, runner);
      return runner;
    } catch (error) {
      throw new Error(`the runner ${engine.runner} cannot work here`, { cause: error });
    }
  };
  const byDestination = new Map<string, JobRunner>();
  for (const [id, engine] of engines) byDestination.set(id, await once(engine));
  return runnersOf(byDestination);
}
