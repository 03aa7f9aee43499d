import { parseReference } from '../../tasks/image.ts';
import type { WorkflowTask } from '../../tasks/task.ts';
import type { UrlPolicy } from '../../tasks/url-policy.ts';
import { JobFailure } from '../../words/job-failure.ts';
import { languageOf, type WorkflowType } from '../../workflows/languages.ts';
import { interpreterFor, type WorkflowTerms } from '../../workflows/terms.ts';
import { lackUnless, workflowLack } from '../engine-kind.ts';
import type { Limits } from '../port.ts';
import type { JobDirectory } from '../run/directory.ts';
import { prepareWorkflow } from '../workflows/prepare.ts';
import { TASK, WORK } from './create/mounts.ts';
import type { PlannedContainer } from './program.ts';
import type { ContainerSettings } from './settings.ts';

/** @returns the lack of an interpreter for workflows, or of the image that has it */
export function interpreterLack(terms: WorkflowTerms | undefined, type: WorkflowType) {
  const { name } = languageOf(type);
  return (
    workflowLack(terms, type) ??
    lackUnless(interpreterFor(terms, type)?.image, {
      what: `image with an interpreter of ${name}`,
      key: `workflows.${name}.image`,
      hint: 'the image in which such tasks run',
    })
  );
}

/** The container of a workflow: that of its interpreter. @throws JobFailure */
export async function planWorkflow(
  task: WorkflowTask,
  draft: JobDirectory,
  { workflows }: Pick<ContainerSettings, 'workflows'>,
  urls: UrlPolicy,
  limits: Pick<Limits, 'cores' | 'memory' | 'scratch'>,
): Promise<PlannedContainer> {
  const image = parseReference(interpreterFor(workflows, task.type)?.image ?? '');
  if (image === undefined)
    throw new JobFailure(
      'runner-failed',
      `this site names no image for ${languageOf(task.type).name} (workflows)`,
    );
  const view = { task: TASK, work: WORK };
  const [program, ...words] = await prepareWorkflow(task, workflows, { draft, view, urls, limits });
  return {
    image,
    architectures: [],
    program: { entrypoint: [program], command: words, environment: {}, network: 'none' },
  };
}
