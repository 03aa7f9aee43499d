import type { Architecture } from '../../compute/arch.ts';
import type { ImageSource, RegistryImage } from '../../tasks/image.ts';
import type { Task } from '../../tasks/task.ts';
import type { UrlPolicy } from '../../tasks/url-policy.ts';
import { notExecuted, PROGRAM, writeProgram } from '../run/program.ts';
import type { JobDirectory } from '../run/directory.ts';
import type { ContainerProgram } from './create/body.ts';
import { TASK } from './create/mounts.ts';
import { JobFailure } from '../../words/job-failure.ts';
import type { ContainerSettings } from './settings.ts';

/** An image and what runs in it. */
type PlannedContainer = {
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
  task: Task,
  draft: JobDirectory,
  { images }: ContainerSettings,
  urls: UrlPolicy,
): Promise<PlannedContainer> {
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
      const image = siteImage(images, task.type, 'container.images');
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
