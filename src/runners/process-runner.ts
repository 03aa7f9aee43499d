import { join } from 'node:path';
import { mustBeReachable } from '../places/reachable.ts';
import type { Task } from '../tasks/task.ts';
import { processVolumeProblem } from '../tasks/volumes.ts';
import type { UrlPolicy } from '../tasks/url-policy.ts';
import { JobFailure } from '../words/job-failure.ts';
import type { Workload } from './port.ts';
import { SYSTEM } from './process/start/bubblewrap.ts';
import { devicePool } from './process/start/devices.ts';
import type { Making } from './run/draft.ts';
import {
  networkIsolation,
  prepareHost,
  resolveProgram,
  type LocalSettings,
} from './process/start/host.ts';
import { localRunner, type LocalRunner } from './process/runner.ts';
import { DEFAULT_PROCESS_SETTINGS, type ProcessJobSettings } from './process/settings.ts';
import { isBelow, isVisible, prefixesOf } from './process/start/visible-paths.ts';
import type { PreparedCommand, RunMethod } from './process/start/run-method.ts';
import { notExecuted, PROGRAM, writeProgram } from './run/program.ts';
import { createVolumes } from './run/volumes.ts';

/**
 * Settings of the `process` runner: `python` is the absolute path of an interpreter;
 * without it only executables run.
 */
export type ProcessSettings = LocalSettings & {
  readonly python?: string;
  /** what the site says of the destination; {@link DEFAULT_PROCESS_SETTINGS} when absent */
  readonly terms?: ProcessJobSettings | undefined;
};

/** The C library and an interpreter; Python starts with 12 MiB. */
const RESERVE = { memory: 64, cpu: 0 };

/**
 * The runner for programs of this machine: an argv, or a Python file
 * for the site's own interpreter.
 *
 * @throws Error when the machine or the settings do not allow it, saying what to change.
 */
export function processRunner(settings: ProcessSettings): LocalRunner {
  const { python, terms = DEFAULT_PROCESS_SETTINGS } = settings;
  if (python !== undefined && resolveProgram(python, '/') !== python) {
    throw new Error(`python must be the absolute path of an interpreter, and ${python} is not`);
  }
  const runs: readonly Task['type'][] =
    python === undefined ? ['executable'] : ['executable', 'python-program'];
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
    runs,
    isolation:
      terms.network === 'none' && jobHost.isolation.sandbox === 'none' ? networkIsolation() : [],
    view: { readable, network: terms.network },
    ...(Object.keys(terms.gpus).length > 0 && {
      devices: devicePool(jobHost.jobsRoot, terms.gpus),
    }),
    volumeProblem: processVolumeProblem,
    prepare: async (workload, making, urls) => prepare(workload, making, urls, python, sees),
    results: async () => [],
  };
  if (python !== undefined && jobHost.users !== undefined)
    mustBeReachable(python, 'the Python of the site');
  return localRunner(jobHost, method);
}

async function prepare(
  { task, volumes }: Workload,
  { draft, place }: Making,
  urls: UrlPolicy,
  python: string | undefined,
  sees: (program: string) => boolean,
): Promise<PreparedCommand> {
  const environment = await createVolumes(volumes, draft, place);
  switch (task.type) {
    case 'executable': {
      const [name, ...words] = task.command;
      const program = resolveProgram(name, place.work);
      if (program === undefined)
        throw new JobFailure('task-failed', `the program ${name} is not on this machine`);
      if (!isBelow(program, place.work) && !sees(program))
        throw new JobFailure('task-failed', `jobs of this site do not see the program ${name}`);
      const variables = { ...task.environment, ...environment };
      return { command: [program, ...words], environment: variables, reserve: RESERVE };
    }
    case 'python-program': {
      if (python === undefined)
        throw new JobFailure('runner-failed', 'this site names no Python for its process runner');
      await writeProgram(task, draft, urls);
      const command = [python, join(place.task, PROGRAM), ...task.arguments] as const;
      return { command, environment, reserve: RESERVE };
    }
    case 'jupyter-notebook':
    case 'oci-container':
    case 'helm-chart':
      throw notExecuted('process', task);
    default:
      return task satisfies never;
  }
}
