import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RegistryImage } from '../../tasks/image.ts';
import type { Source, Task } from '../../tasks/task.ts';
import type { UrlPolicy } from '../../tasks/url-policy.ts';
import { TASK } from '../container/body.ts';
import { fetchSource } from '../run/fetch-source.ts';
import type { JobDirectory } from '../run/directory.ts';
import { JobFailure } from '../../words/job-failure.ts';
import type { PodProgram } from './job.ts';
import type { KubernetesSettings } from './settings.ts';

const PROGRAM = 'program.py';

/** @throws JobFailure */
export async function fetched(source: Source, urls: UrlPolicy): Promise<Buffer> {
  if (source.kind === 'inline') return Buffer.from(source.text);
  const got = await fetchSource(source.url, urls);
  if (got.ok) return got.content;
  throw new JobFailure(got.code, got.message, got.transient);
}

/**
 * What a task that is no chart becomes in a container; what it names is fetched
 * into the job's `task` directory.
 *
 * @throws JobFailure
 */
export async function planPodProgram(
  task: Exclude<Task, { readonly type: 'helm-chart' }>,
  place: JobDirectory,
  { images, outbound }: KubernetesSettings,
  urls: UrlPolicy,
): Promise<PodProgram> {
  switch (task.type) {
    case 'oci-container': {
      const { image, architectures, entrypoint, command, environment, network } = task;
      if (image.kind === 'archive')
        throw new JobFailure(
          'fetch-failed',
          'a cluster takes images from registries, not from archives',
        );
      if (network === 'outbound' && !outbound)
        throw new JobFailure('runner-failed', 'this destination gives no network to its jobs');
      // Of the image nothing is known, not even whether it has a shell.
      return {
        image,
        architectures,
        entrypoint,
        command,
        environment,
        outbound: network === 'outbound',
        output: 'log',
      };
    }
    case 'executable':
      return {
        image: siteImage(images, task.type),
        architectures: [],
        entrypoint: task.command,
        command: undefined,
        environment: task.environment,
        outbound: false,
        output: 'files',
      };
    case 'python-program': {
      const image = siteImage(images, task.type);
      await writeFile(join(place.task, PROGRAM), await fetched(task.program, urls), {
        mode: 0o600,
      });
      const entrypoint = ['python3', `${TASK}/${PROGRAM}`, ...task.arguments];
      return {
        image,
        architectures: [],
        entrypoint,
        command: undefined,
        environment: {},
        outbound: false,
        output: 'files',
      };
    }
    case 'jupyter-notebook':
      throw new JobFailure('runner-failed', 'the runner kubernetes does not run jupyter-notebook');
    default:
      return task satisfies never;
  }
}

function siteImage(
  images: KubernetesSettings['images'],
  type: keyof KubernetesSettings['images'],
): RegistryImage {
  const image = images[type];
  if (image !== undefined) return image;
  throw new JobFailure('runner-failed', `this site names no image for ${type} (kubernetes.images)`);
}
