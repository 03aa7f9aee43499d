import { mustBeReachable } from '../places/reachable.ts';
import { processVolumeProblem } from '../tasks/volumes.ts';
import { prepareProcess } from './process/prepare.ts';
import type { Runner } from './port.ts';
import { localRunner } from './process/runner.ts';
import { DEFAULT_PROCESS_SETTINGS, type ProcessJobSettings } from './process/settings.ts';
import { SYSTEM } from './process/start/bubblewrap.ts';
import { devicePool } from './process/start/devices.ts';
import {
  networkIsolation,
  prepareHost,
  resolveProgram,
  type LocalSettings,
} from './process/start/host.ts';
import type { RunMethod } from './process/start/run-method.ts';
import { isBelow, isVisible, prefixesOf } from './process/start/visible-paths.ts';

/**
 * Settings of the `process` runner: `python` is the absolute path of an interpreter;
 * without it only executables run.
 */
type ProcessSettings = LocalSettings & {
  readonly python?: string;
  /** what the site says of the destination; {@link DEFAULT_PROCESS_SETTINGS} when absent */
  readonly terms?: ProcessJobSettings | undefined;
};

/**
 * The runner for programs of this machine: an argv, or a Python file
 * for the site's own interpreter.
 *
 * @throws Error when the machine or the settings do not allow it, saying what to change.
 */
export function processRunner(settings: ProcessSettings): Runner {
  const { python, terms = DEFAULT_PROCESS_SETTINGS } = settings;
  if (python !== undefined && resolveProgram(python, '/') !== python) {
    throw new Error(`python must be the absolute path of an interpreter, and ${python} is not`);
  }
  const jobHost = prepareHost({ tasks: terms.tasks, ...settings }, terms.isolation);
  const readable = [
    ...terms.paths,
    ...(python === undefined ? [] : prefixesOf(python)).filter(
      (path) => !SYSTEM.some((folder) => isBelow(path, folder)),
    ),
  ];
  const sees = (program: string): boolean =>
    jobHost.isolation.sandbox === 'none' || isVisible(program, [...SYSTEM, ...readable]);
  const method: RunMethod = {
    name: 'process',
    isolation:
      terms.network === 'none' && jobHost.isolation.sandbox === 'none' ? networkIsolation() : [],
    view: { readable, network: terms.network },
    ...(Object.keys(terms.gpus).length > 0 && {
      devices: devicePool(jobHost.jobsRoot, terms.gpus),
    }),
    volumeProblem: processVolumeProblem,
    prepare: prepareProcess(python, sees),
    results: async () => [],
  };
  if (python !== undefined && jobHost.users !== undefined)
    mustBeReachable(python, 'the Python of the site');
  return localRunner(jobHost, method);
}
