import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mustBeReachable } from '../places/reachable.ts';
import type { Task } from '../tasks/task.ts';
import { processVolumeProblem } from '../tasks/volumes.ts';
import type { JobErrorCode } from '../words/catalogue.ts';
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
import type { Access, PreparedCommand, RunMethod } from './process/start/run-method.ts';
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

// The C library and an interpreter; Python starts with 12 MiB.
const RESERVE = { memory: 64, cpu: 0 };
const PROGRAM = 'program.py';

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
    prepare: async (workload, making, access) => prepare(workload, making, access, python, sees),
    results: async () => [],
  };
  if (python !== undefined && jobHost.users !== undefined)
    mustBeReachable(python, 'the Python of the site');
  return localRunner(jobHost, method);
}

async function prepare(
  { task, volumes }: Workload,
  { draft, place }: Making,
  { fetch }: Access,
  python: string | undefined,
  sees: (program: string) => boolean,
): Promise<PreparedCommand> {
  const environment = await createVolumes(volumes, draft, place);
  switch (task.type) {
    case 'executable': {
      const [name, ...words] = task.command;
      const program = resolveProgram(name, place.work);
      if (program === undefined)
        return refuse('task-failed', `the program ${name} is not on this machine`);
      if (!isBelow(program, place.work) && !sees(program))
        return refuse('task-failed', `jobs of this site do not see the program ${name}`);
      const variables = { ...task.environment, ...environment };
      return { ok: true, command: [program, ...words], environment: variables, reserve: RESERVE };
    }
    case 'python-program': {
      if (python === undefined)
        return refuse('runner-failed', 'this site names no Python for its process runner');
      const fetched = await fetch(task.program);
      if (!fetched.ok) return fetched;
      await writeFile(join(draft.task, PROGRAM), fetched.content, { mode: 0o600 });
      return {
        ok: true,
        command: [python, join(place.task, PROGRAM), ...task.arguments],
        environment,
        reserve: RESERVE,
      };
    }
    case 'jupyter-notebook':
      return refuse('runner-failed', 'notebooks are executed by the notebook runner');
    case 'oci-container':
      return refuse('runner-failed', 'containers are run by the container runner');
    case 'helm-chart':
      return refuse('runner-failed', 'charts are run by the kubernetes runner');
    default:
      return task satisfies never;
  }
}

function refuse(code: JobErrorCode, message: string): PreparedCommand {
  return { ok: false, code, message, transient: false };
}
