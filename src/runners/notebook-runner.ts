import { writeFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { NOTEBOOK_LEAST_MEMORY } from '../tasks/least-memory.ts';
import type { NotebookTask, ProgramTask } from '../tasks/task.ts';
import { notebookVolumeProblem, type Volume, volumeVariable } from '../tasks/volumes.ts';
import type { JobErrorCode } from '../words/catalogue.ts';
import type { NonEmpty } from '../words/ids.ts';
import { CONFINEMENT_FLAGS } from './notebook/confinement.ts';
import { notebookInput } from './notebook/input.ts';
import { PYTHON_WORK, type NotebookPlan } from './notebook/plan.ts';
import { findNotebookPrograms, type NotebookPrograms } from './notebook/programs.ts';
import { notebookResults } from './notebook/results.ts';
import type { Workload } from './port.ts';
import type { JobDirectory } from './run/directory.ts';
import type { Making } from './run/draft.ts';
import { networkIsolation, prepareHost, type LocalSettings } from './process/start/host.ts';
import type { IsolationWish } from './process/settings.ts';
import { localRunner, type LocalRunner } from './process/runner.ts';
import type { Access, PreparedCommand, RunMethod } from './process/start/run-method.ts';
import { createVolumes, volumeDirectory } from './run/volumes.ts';

/** What of the job's memory is Node's and not Python's, in MiB. */
const NODE_SHARE = 128;
/**
 * V8 reserves private writable addresses that it hardly touches (0.77 GB measured)
 * and compiles on other threads.
 */
const NODE_RESERVE = { memory: 1024, cpu: 5 };

const PLAN = 'plan.json';

/**
 * The runner for notebooks and Python programs that needs nothing installed: Pyodide (CPython in
 * WebAssembly, with its standard library and no other package) in a Node process without rights.
 *
 * @throws Error when the machine or the settings do not allow it, saying what to change.
 */
export function notebookRunner(settings: LocalSettings, isolation?: IsolationWish): LocalRunner {
  const jobHost = prepareHost(settings, isolation);
  const programs = findNotebookPrograms();
  const method: RunMethod = {
    name: 'notebook',
    runs: ['jupyter-notebook', 'python-program'],
    isolation: networkIsolation(),
    view: { readable: [programs.node, ...programs.code], network: 'none' },
    volumeProblem: notebookVolumeProblem,
    prepare: prepareWith(programs),
    results: notebookResults,
  };
  return localRunner(jobHost, method);
}

function prepareWith(programs: NotebookPrograms): RunMethod['prepare'] {
  return async (workload, making, access) => {
    const { task } = workload;
    switch (task.type) {
      case 'jupyter-notebook':
      case 'python-program':
        return prepareTask({ ...workload, task }, making, access, programs);
      case 'executable':
        return refuse('runner-failed', 'programs of the machine are run by the process runner');
      case 'oci-container':
        return refuse('runner-failed', 'containers are run by the container runner');
      case 'helm-chart':
        return refuse('runner-failed', 'charts are run by the kubernetes runner');
      default:
        return task satisfies never;
    }
  };
}

async function prepareTask(
  workload: Workload & { readonly task: NotebookTask | ProgramTask },
  { draft, place }: Making,
  { fetch }: Access,
  programs: NotebookPrograms,
): Promise<PreparedCommand> {
  const { task, limits, volumes } = workload;
  if (limits.memory < NOTEBOOK_LEAST_MEMORY) {
    const message = `Python needs at least ${NOTEBOOK_LEAST_MEMORY} MiB here, and ${limits.memory} MiB were offered`;
    return refuse('runner-failed', message);
  }
  const fetched = await fetch(task.type === 'jupyter-notebook' ? task.notebook : task.program);
  if (!fetched.ok) return fetched;
  const source = fetched.content.toString('utf8');
  const read =
    task.type === 'jupyter-notebook' ? notebookInput(source, task) : { ok: true, text: source };
  if (!read.ok) return refuse('notebook-invalid', read.text);
  const input = task.type === 'jupyter-notebook' ? 'notebook.ipynb' : 'program.py';
  await writeFile(join(draft.task, input), read.text, { mode: 0o600 });
  await createVolumes(volumes, draft, place);
  await writeFile(
    join(draft.task, PLAN),
    JSON.stringify(planOf(workload, place, join(place.task, input))),
    { mode: 0o600 },
  );
  return {
    ok: true,
    command: commandOf(workload, place, join(place.task, PLAN), programs),
    environment: {},
    reserve: NODE_RESERVE,
  };
}

function refuse(code: JobErrorCode, message: string): PreparedCommand {
  return { ok: false, code, message, transient: false };
}

function planOf(workload: Workload, place: JobDirectory, input: string): NotebookPlan {
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

function pythonPath(volume: Volume): string {
  return posix.isAbsolute(volume.path)
    ? posix.normalize(volume.path).replace(/(?<=.)\/+$/, '')
    : posix.join(PYTHON_WORK, volume.path);
}

function commandOf(
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
