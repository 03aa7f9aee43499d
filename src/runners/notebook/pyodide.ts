import { posix } from 'node:path';
import type { NotebookTask, ProgramTask } from '../../tasks/task.ts';
import { volumeVariable, type Volume } from '../../tasks/volumes.ts';
import type { NonEmpty } from '../../words/ids.ts';
import type { Workload } from '../port.ts';
import type { JobDirectory } from '../run/directory.ts';
import { volumeDirectory } from '../run/volumes.ts';
import { CONFINEMENT_FLAGS } from './confinement.ts';
import { PYTHON_WORK, type NotebookPlan } from './plan.ts';
import type { NotebookPrograms } from './programs.ts';

/** The part of the job's memory that Node takes, in MiB. */
const NODE_SHARE = 128;

/** What the worker is to do. `input`: path of the notebook or program. */
export function pyodidePlan(
  workload: Workload & { readonly task: NotebookTask | ProgramTask },
  place: JobDirectory,
  input: string,
): NotebookPlan {
  const { task, volumes, limits } = workload;
  const outside = volumes
    .filter(({ path }) => posix.isAbsolute(path))
    .map((volume) => ({ directory: volumeDirectory(volume, place), path: pythonPath(volume) }))
    // A volume inside another one is mounted after it.
    .toSorted((one, other) => one.path.length - other.path.length);
  return {
    mode: task.type === 'jupyter-notebook' ? 'notebook' : 'program',
    input,
    arguments: task.type === 'python-program' ? task.arguments : [],
    out: place.out,
    mounts: [{ directory: place.work, path: PYTHON_WORK }, ...outside],
    environment: {
      ...workload.environment,
      PLANNER_JOB_ID: workload.job,
      ...Object.fromEntries(volumes.map((volume) => [volumeVariable(volume), pythonPath(volume)])),
    },
    memory: (limits.memory - NODE_SHARE) * 1024 ** 2,
  };
}

/** The command line of the worker. `plan`: path of the file with the plan. */
export function pyodideCommand(
  { limits }: Workload,
  place: JobDirectory,
  plan: string,
  { node, worker, code }: NotebookPrograms,
): NonEmpty<string> {
  return [
    node,
    ...CONFINEMENT_FLAGS,
    ...[...code, place.task, place.work, place.out, place.volumes].map(
      (path) => `--allow-fs-read=${path}`,
    ),
    ...[place.work, place.out, place.volumes].map((path) => `--allow-fs-write=${path}`),
    `--max-old-space-size=${Math.max(64, Math.min(1024, Math.floor(limits.memory / 4)))}`,
    '--no-warnings',
    worker,
    plan,
  ];
}

function pythonPath(volume: Volume): string {
  return posix.isAbsolute(volume.path)
    ? posix.normalize(volume.path).replace(/(?<=.)\/+$/, '')
    : posix.join(PYTHON_WORK, volume.path);
}
