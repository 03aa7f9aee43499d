import type { EnvironmentTerms } from '../environments/environment.ts';
import { mustBeReachable } from '../places/reachable.ts';
import { openPythons } from './making/pythons.ts';
import { closingFirst } from './process/closing-first.ts';
import { processVolumeProblem } from '../tasks/volumes.ts';
import { processEnvironments, type ProcessEngine } from './process/kind.ts';
import { prepareProcess } from './process/prepare.ts';
import type { Runner, Workload } from './port.ts';
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
import {
  foldersOfInterpreters,
  isBelow,
  isVisible,
  prefixesOf,
} from './process/start/visible-paths.ts';

/**
 * Settings of the `process` runner: `python` is the absolute path of an interpreter;
 * without it only executables run.
 */
type ProcessSettings = LocalSettings & {
  readonly python?: string;
  /** instead of it, best first; one that is missing or broken fails its own jobs */
  readonly environments?: readonly EnvironmentTerms[];
  /** the interpreters of workflows */
  readonly workflows?: NonNullable<ProcessEngine['workflows']>;
  /** of an engine that is made of this one; `process` when absent */
  readonly name?: string;
  /** words before the command of a job */
  readonly before?: (workload: Workload) => readonly string[];
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
  const { name = 'process', before, terms = DEFAULT_PROCESS_SETTINGS } = settings;
  const python = settings.environments === undefined ? settings.python : undefined;
  const environments = processEnvironments({ python, ...settings });
  if (python !== undefined && resolveProgram(python, '/') !== python) {
    throw new Error(`python must be the absolute path of an interpreter, and ${python} is not`);
  }
  const jobHost = prepareHost({ tasks: terms.tasks, ...settings }, terms.isolation);
  const pythons = openPythons(environments, jobHost.jobsRoot);
  const readable = [
    ...terms.paths,
    ...[
      ...environments.flatMap((one) =>
        one.kind === 'pyodide' || one.kind === 'image'
          ? []
          : [...prefixesOf(one.python), ...one.paths],
      ),
      ...foldersOfInterpreters(settings.workflows),
    ].filter((path) => !SYSTEM.some((folder) => isBelow(path, folder))),
  ];
  const sees = (program: string): boolean =>
    jobHost.isolation.sandbox === 'none' || isVisible(program, [...SYSTEM, ...readable]);
  const method: RunMethod = {
    name,
    isolation:
      terms.network === 'none' && jobHost.isolation.sandbox === 'none' ? networkIsolation() : [],
    view: { readable, network: terms.network },
    ...(Object.keys(terms.gpus).length > 0 && {
      devices: devicePool(jobHost.jobsRoot, terms.gpus, undefined, jobHost.host),
    }),
    volumeProblem: processVolumeProblem,
    prepare: preceded(
      prepareProcess(
        // Without names in the site file, none was promised.
        settings.environments === undefined
          ? (workload) => pythons.of({ ...workload, interpreter: undefined })
          : pythons.of,
        sees,
        settings.workflows,
      ),
      before,
    ),
    results: async () => [],
  };
  if (python !== undefined && jobHost.users !== undefined)
    mustBeReachable(python, 'the Python of the site');
  return closingFirst(localRunner(jobHost, method), pythons.close);
}

/** Puts words before the commands that are prepared. */
function preceded(
  prepare: RunMethod['prepare'],
  before: ProcessSettings['before'],
): RunMethod['prepare'] {
  if (before === undefined) return prepare;
  return async (workload, making, urls) => {
    const prepared = await prepare(workload, making, urls);
    const [first, ...others] = [...before(workload), ...prepared.command];
    return first === undefined ? prepared : { ...prepared, command: [first, ...others] };
  };
}
