import type { Architecture } from '../../compute/arch.ts';
import { parseReference, type ImageSource, type RegistryImage } from '../../tasks/image.ts';
import { isWorkflow } from '../../tasks/workflow/workflow.ts';
import type { UrlPolicy } from '../../tasks/url-policy.ts';
import { HOST_FILE, writeLocalHosts } from '../machines/hosts.ts';
import type { Workload } from '../port.ts';
import { interpreterOf } from '../run/interpreter.ts';
import { notExecuted, PROGRAM, writeProgram } from '../run/program.ts';
import type { JobDirectory } from '../run/directory.ts';
import type { ContainerProgram } from './create/body.ts';
import { TASK } from './create/mounts.ts';
import { JobFailure } from '../../words/job-failure.ts';
import type { ContainerSettings } from './settings.ts';
import { planWorkflow } from './workflow.ts';

/** An image and what runs in it. */
export type PlannedContainer = {
  readonly image: ImageSource;
  readonly architectures: readonly Architecture[];
  readonly program: ContainerProgram;
};

/**
 * The container of a task. Fetches what the task names into the job's `task` directory.
 *
 * @throws JobFailure
 */
export async function planContainerProgram(
  workload: Pick<Workload, 'task' | 'limits' | 'allocation' | 'interpreter'>,
  draft: JobDirectory,
  settings: ContainerSettings,
  urls: UrlPolicy,
): Promise<PlannedContainer> {
  const plan = await planOf(workload, draft, settings, urls);
  const { allocation } = workload;
  if (allocation === undefined) return plan;
  const { program } = plan;
  const hosts = await writeLocalHosts(allocation, draft, `${TASK}/${HOST_FILE}`);
  const environment = { ...hosts.defaults, ...program.environment, ...hosts.own };
  return { ...plan, program: { ...program, environment } };
}

/** The image of the site in which tasks of a type run. @throws JobFailure when it names none */
export function siteImage(
  images: ContainerSettings['images'],
  type: keyof ContainerSettings['images'],
  key: string,
): RegistryImage {
  const image = images[type];
  if (image !== undefined) return image;
  throw new JobFailure('runner-failed', `this site names no image for ${type} (${key})`);
}

async function planOf(
  { task, limits, interpreter }: Pick<Workload, 'task' | 'limits' | 'interpreter'>,
  draft: JobDirectory,
  settings: ContainerSettings,
  urls: UrlPolicy,
): Promise<PlannedContainer> {
  if (isWorkflow(task)) return planWorkflow(task, draft, settings, urls, limits);
  const { images } = settings;
  switch (task.type) {
    case 'oci-container': {
      const { image, architectures, entrypoint, command, environment, network } = task;
      return { image, architectures, program: { entrypoint, command, environment, network } };
    }
    case 'executable': {
      const [name, ...words] = task.command;
      const program: ContainerProgram = {
        entrypoint: [name],
        command: words,
        environment: task.environment,
        network: 'none',
      };
      return {
        image: siteImage(images, task.type, 'container.images'),
        architectures: [],
        program,
      };
    }
    case 'python-program': {
      const image = pythonImage(settings, interpreter);
      await writeProgram(task, draft, urls);
      const program: ContainerProgram = {
        entrypoint: ['python3'],
        command: [`${TASK}/${PROGRAM}`, ...task.arguments],
        environment: {},
        network: 'none',
      };
      return { image, architectures: [], program };
    }
    case 'jupyter-notebook':
    case 'helm-chart':
      throw notExecuted('container', task);
    default:
      return task satisfies never;
  }
}

/** The image that was promised, or the best. @throws JobFailure without one */
function pythonImage(
  { images, environments }: ContainerSettings,
  interpreter: string | undefined,
): RegistryImage {
  if (environments === undefined) return siteImage(images, 'python-program', 'container.images');
  const found = interpreterOf(environments, interpreter);
  const image = found.kind === 'image' ? parseReference(found.reference) : undefined;
  if (image !== undefined) return image;
  throw new JobFailure('runner-failed', `the environment ${found.name} is no image`);
}
