import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mustBeReachable } from '../places/reachable.ts';
import type { Task } from '../tasks/task.ts';
import { processVolumeProblem } from '../tasks/volumes.ts';
import type { JobErrorCode } from '../words/catalogue.ts';
import type { Workload } from './port.ts';
import type { JobDirectory } from './process/directory.ts';
import { prepareGround, resolveProgram, type LocalSettings } from './process/ground.ts';
import { localRunner, type LocalRunner } from './process/runner.ts';
import type { Access, Prepared, Way } from './process/way.ts';
import { createVolumes } from './volumes.ts';

/**
 * Settings of the `process` runner: `python` is the absolute path of an interpreter; without it only executables run.
 */
export type ProcessSettings = LocalSettings & { readonly python?: string };

// The C library and an interpreter; Python starts with 12 MiB.
const RESERVE = { memory: 64, cpu: 0 };

const refuse = (code: JobErrorCode, message: string): Prepared => ({ ok: false, code, message, transient: false });

const prepare = async (
  { task, volumes }: Workload,
  place: JobDirectory,
  { fetch }: Access,
  python: string | undefined,
): Promise<Prepared> => {
  const environment = await createVolumes(volumes, place);
  switch (task.type) {
    case 'executable': {
      const [name, ...words] = task.command;
      const program = resolveProgram(name, place.work);
      if (program === undefined) return refuse('task-failed', `the program ${name} is not on this machine`);
      const variables = { ...task.environment, ...environment };
      return { ok: true, command: [program, ...words], environment: variables, reserve: RESERVE };
    }
    case 'python-program': {
      if (python === undefined) return refuse('runner-failed', 'this site names no Python for its process runner');
      const fetched = await fetch(task.program);
      if (!fetched.ok) return fetched;
      const program = join(place.task, 'program.py');
      await writeFile(program, fetched.content, { mode: 0o600 });
      return { ok: true, command: [python, program, ...task.arguments], environment, reserve: RESERVE };
    }
    case 'jupyter-notebook':
      return refuse('runner-failed', 'notebooks are executed by the notebook runner');
    case 'oci-container':
      return refuse('runner-failed', 'containers are run by the container runner');
    default:
      return task satisfies never;
  }
};

/**
 * The runner for programs of this machine: an argv, or a Python file for the site's own interpreter.
 *
 * @throws Error when the machine or the settings do not allow it, saying what to change.
 */
export const processRunner = (settings: ProcessSettings): LocalRunner => {
  const { python } = settings;
  if (python !== undefined && resolveProgram(python, '/') !== python) {
    throw new Error(`python must be the absolute path of an interpreter, and ${python} is not`);
  }
  const runs: readonly Task['type'][] = python === undefined ? ['executable'] : ['executable', 'python-program'];
  const way: Way = {
    name: 'process',
    runs,
    isolation: [],
    volumeProblem: processVolumeProblem,
    prepare: async (workload, place, access) => prepare(workload, place, access, python),
    results: async () => [],
  };
  const ground = prepareGround(settings);
  if (python !== undefined && ground.users !== undefined) mustBeReachable(python, 'the Python of the site');
  return localRunner(ground, way);
};
