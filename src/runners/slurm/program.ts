import { processVolumeProblem } from '../../tasks/volumes.ts';
import type { UrlPolicy } from '../../tasks/url-policy.ts';
import { handsOverSteps, type WorkflowTerms } from '../../workflows/terms.ts';
import type { NonEmpty } from '../../words/ids.ts';
import { JobFailure } from '../../words/job-failure.ts';
import { nodeCommandOf, type NodePrograms } from '../batch/program.ts';
import type { Workload } from '../port.ts';
import type { Making } from '../run/draft.ts';
import { prepareContainer } from './container.ts';
import { prepareSteps } from './steps.ts';
import type { SlurmSettings } from './settings.ts';

/**
 * The command line of a job of a Slurm cluster: as everywhere on nodes, and containers.
 *
 * @throws JobFailure
 */
export async function commandOf(
  workload: Workload,
  making: Making,
  settings: SlurmSettings & { readonly workflows?: WorkflowTerms | undefined },
  urls: UrlPolicy,
): Promise<NonEmpty<string>> {
  const { python, jupyter, container, workflows } = settings;
  const { task, volumes } = workload;
  const stepsOf: NodePrograms['stepsOf'] = async ({ limits }, where) =>
    handsOverSteps(workflows, task.type) ? prepareSteps(where, limits, settings) : undefined;

  if (task.type !== 'oci-container')
    return nodeCommandOf('slurm', workload, making, { python, jupyter, workflows, stepsOf }, urls);
  const problem = volumes.map(processVolumeProblem).find((text) => text !== undefined);
  if (problem !== undefined) throw new JobFailure('runner-failed', problem);
  return prepareContainer(workload, task, making, container, urls);
}
