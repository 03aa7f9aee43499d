import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Architecture } from '../../compute/arch.ts';
import type { ImageSource, RegistryImage } from '../../tasks/image.ts';
import type { Task } from '../../tasks/task.ts';
import type { UrlPolicy } from '../../tasks/url-policy.ts';
import { fetchSource } from '../run/fetch-source.ts';
import type { JobDirectory } from '../run/directory.ts';
import { TASK, type ContainerProgram } from './body.ts';
import { JobFailure } from '../../words/job-failure.ts';
import type { ContainerSettings } from './settings.ts';

/** An image and what runs in it. */
export type PlannedContainer = {
  readonly image: ImageSource;
  readonly architectures: readonly Architecture[];
  readonly program: ContainerProgram;
};

const PROGRAM = 'program.py';

/**
 * What a task becomes in a container; what it names is fetched into the job's `task` directory.
 *
 * @throws JobFailure
 */
export async function planContainerProgram(
  task: Task,
  place: JobDirectory,
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
      return { image: siteImage(images, task.type), architectures: [], program };
    }
    case 'python-program': {
      const image = siteImage(images, task.type);
      const fetched =
        task.program.kind === 'inline'
          ? { ok: true as const, content: Buffer.from(task.program.text) }
          : await fetchSource(task.program.url, urls);
      if (!fetched.ok) throw new JobFailure(fetched.code, fetched.message, fetched.transient);
      await writeFile(join(place.task, PROGRAM), fetched.content, { mode: 0o600 });
      const program: ContainerProgram = {
        entrypoint: ['python3'],
        command: [`${TASK}/${PROGRAM}`, ...task.arguments],
        environment: {},
        network: 'none',
      };
      return { image, architectures: [], program };
    }
    case 'jupyter-notebook':
      throw new JobFailure('runner-failed', 'notebooks are executed by the notebook runner');
    case 'helm-chart':
      throw new JobFailure('runner-failed', 'charts are run by the kubernetes runner');
    default:
      return task satisfies never;
  }
}

function siteImage(
  images: ContainerSettings['images'],
  type: keyof ContainerSettings['images'],
): RegistryImage {
  const image = images[type];
  if (image !== undefined) return image;
  throw new JobFailure('runner-failed', `this site names no image for ${type} (container.images)`);
}
