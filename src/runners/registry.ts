import { notebookRunner } from './notebook-runner.ts';
import type { RunnerName } from './port.ts';
import type { LocalDescription, LocalRunner } from './process/runner.ts';
import { processRunner, type ProcessSettings } from './process-runner.ts';

/**
 * Settings of all runners of this version. They share `jobsRoot`: a result of a job is at `<jobsRoot>/<job>/<path>`.
 */
export type RunnerSettings = ProcessSettings;

/** How a runner is made from the settings: one line for each runner that there is. */
const MAKERS = {
  process: (settings: RunnerSettings): LocalRunner => processRunner(settings),
  notebook: (settings: RunnerSettings): LocalRunner => notebookRunner(settings),
} as const satisfies Record<RunnerName, unknown>;

/**
 * Makes the runners of an executor.
 *
 * @param names those that the site's destinations use; asking for one twice gives it once
 * @throws Error that names the runner and says what to change when it cannot work on this machine.
 */
export const buildRunners = (
  names: readonly RunnerName[],
  settings: RunnerSettings,
): ReadonlyMap<RunnerName, LocalRunner> => {
  const make = (name: RunnerName): LocalRunner => {
    try {
      return MAKERS[name](settings);
    } catch (error) {
      throw new Error(`the runner ${name} cannot work here`, { cause: error });
    }
  };
  return new Map([...new Set(names)].map((name) => [name, make(name)]));
};

export type { LocalDescription, LocalRunner };
