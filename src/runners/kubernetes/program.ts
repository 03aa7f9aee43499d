import type { Task } from '../../tasks/task.ts';
import { isWorkflow } from '../../tasks/workflow/workflow.ts';
import type { UrlPolicy } from '../../tasks/url-policy.ts';
import { TASK } from '../container/create/mounts.ts';
import { siteImage } from '../container/program.ts';
import { notExecuted, PROGRAM, writeProgram } from '../run/program.ts';
import type { JobDirectory } from '../run/directory.ts';
import { JobFailure } from '../../words/job-failure.ts';
import type { PodProgram } from './manifests/job.ts';
import type { KubernetesSettings } from './settings.ts';

/**
 * The container of a task that is no chart. Fetches what the task names into the job's `task`
 * directory.
 *
 * @throws JobFailure
 */
export async function planPodProgram(
  task: Exclude<Task, { readonly type: 'helm-chart' }>,
  draft: JobDirectory,
  { images, outbound }: KubernetesSettings,
  urls: UrlPolicy,
): Promise<PodProgram> {
  if (isWorkflow(task)) throw notExecuted('kubernetes', task);
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
      // Nothing is known of the image, not even whether it has a shell.
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
        image: siteImage(images, task.type, 'kubernetes.images'),
        architectures: [],
        entrypoint: task.command,
        command: undefined,
        environment: task.environment,
        outbound: false,
        output: 'files',
      };
    case 'python-program': {
      const image = siteImage(images, task.type, 'kubernetes.images');
      await writeProgram(task, draft, urls);
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
      throw notExecuted('kubernetes', task);
    default:
      return task satisfies never;
  }
}
