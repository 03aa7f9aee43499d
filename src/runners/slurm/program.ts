import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NOTEBOOK_LEAST_MEMORY } from '../../tasks/least-memory.ts';
import type { Source } from '../../tasks/task.ts';
import { processVolumeProblem } from '../../tasks/volumes.ts';
import type { UrlPolicy } from '../../tasks/url-policy.ts';
import type { NonEmpty } from '../../words/ids.ts';
import { fetchSource } from '../run/fetch-source.ts';
import { jupyterEnvironment } from '../notebook/jupyter.ts';
import type { Workload } from '../port.ts';
import type { JobDirectory } from '../run/directory.ts';
import type { Making } from '../run/draft.ts';
import { JOB_PATH } from '../process/start/start.ts';
import { prepareContainer } from './container.ts';
import { JobFailure } from '../../words/job-failure.ts';
import { prepareNotebook } from './notebook.ts';
import type { SlurmSettings } from './settings.ts';

const PROGRAM = 'program.py';

/**
 * The environment that every job finds; nothing of the service's, and of
 * Slurm's only what is named here.
 */
export function environmentOf(
  { task, limits, environment }: Workload,
  place: JobDirectory,
): Readonly<Record<string, string>> {
  return {
    ...(task.type === 'executable' ? task.environment : {}),
    ...(task.type === 'jupyter-notebook' ? jupyterEnvironment(place) : {}),
    ...environment,
    PATH: JOB_PATH,
    HOME: place.work,
    TMPDIR: place.tmp,
    LANG: 'C.UTF-8',
    OMP_NUM_THREADS: String(Math.max(1, Math.floor(limits.cores / 1000))),
  };
}

/**
 * The command line of a job on its node. Programs are looked for there,
 * since this machine may have others.
 *
 * @throws JobFailure
 */
export async function commandOf(
  workload: Workload,
  making: Making,
  { python, jupyter, container }: SlurmSettings,
  urls: UrlPolicy,
): Promise<NonEmpty<string>> {
  const { task, volumes, limits } = workload;
  const problem = volumes
    .map((volume) => processVolumeProblem(volume))
    .find((text) => text !== undefined);
  if (problem !== undefined) throw new JobFailure('runner-failed', problem);
  switch (task.type) {
    case 'executable':
      // env, which starts it, would take it for a variable.
      if (task.command[0].includes('='))
        throw new JobFailure('task-failed', 'the path of a program cannot have "=" in it here');
      return task.command;
    case 'python-program': {
      if (python === undefined)
        throw new JobFailure(
          'runner-failed',
          'this site names no Python for the nodes of its cluster',
        );
      await writeFile(join(making.draft.task, PROGRAM), await textOf(task.program, urls), {
        mode: 0o600,
      });
      return [python, join(making.place.task, PROGRAM), ...task.arguments];
    }
    case 'oci-container':
      return prepareContainer(workload, task, making, container, urls);
    case 'jupyter-notebook':
      if (limits.memory < NOTEBOOK_LEAST_MEMORY)
        throw new JobFailure(
          'runner-failed',
          `Jupyter needs at least ${NOTEBOOK_LEAST_MEMORY} MiB, and ${limits.memory} MiB were offered`,
        );
      return prepareNotebook(
        task,
        (await textOf(task.notebook, urls)).toString('utf8'),
        making,
        jupyter,
      );
    case 'helm-chart':
      throw new JobFailure('runner-failed', `the runner slurm does not run ${task.type}`);
    default:
      return task satisfies never;
  }
}

async function textOf(source: Source, urls: UrlPolicy): Promise<Buffer> {
  if (source.kind === 'inline') return Buffer.from(source.text);
  const fetched = await fetchSource(source.url, urls);
  if (fetched.ok) return fetched.content;
  throw new JobFailure(fetched.code, fetched.message, fetched.transient);
}
