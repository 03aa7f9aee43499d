import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkflowTask } from '../../tasks/task.ts';
import type { UrlPolicy } from '../../tasks/url-policy.ts';
import type { NonEmpty } from '../../words/ids.ts';
import { JobFailure } from '../../words/job-failure.ts';
import { languageOf } from '../../workflows/languages.ts';
import { interpreterFor, runsVersion, type WorkflowTerms } from '../../workflows/terms.ts';
import type { Limits } from '../port.ts';
import type { JobDirectory } from '../run/directory.ts';
import { noteRunWorkflow } from './ending.ts';
import { fetchWorkflow, fetchInputs, fetcher } from './fetch.ts';
import { interpreterOfType, type PlacedWorkflow, type StepsAway } from './interpreter.ts';
import { PROVENANCE, recordingLines } from './provenance.ts';

export type { StepsAway } from './interpreter.ts';

/** Where a workflow is prepared, and what it may fetch. */
export type WorkflowPlace = {
  readonly draft: JobDirectory;
  /** the paths by which the job sees its directories */
  readonly view: { readonly task: string; readonly work: string };
  readonly urls: UrlPolicy;
  readonly limits: Pick<Limits, 'cores' | 'memory' | 'scratch'>;
  /** absent: steps are processes of the interpreter */
  readonly steps?: StepsAway | undefined;
};

/**
 * Fetches a workflow, all that it refers to and the files of its inputs into the directory of its
 * job, whose interpreter then needs no network.
 *
 * @returns the command line of the job
 * @throws JobFailure
 */
export async function prepareWorkflow(
  task: WorkflowTask,
  terms: WorkflowTerms | undefined,
  { draft, view, urls, limits, steps }: WorkflowPlace,
): Promise<NonEmpty<string>> {
  const { type } = task;
  const { name } = languageOf(type);
  const interpreter = interpreterFor(terms, type);
  if (interpreter === undefined)
    throw new JobFailure('runner-failed', `this destination has no interpreter of ${name}`);
  const fetched = fetcher(urls, limits);
  const { document, fragment, version } = await fetchWorkflow(task, draft.task, view.task, fetched);
  if (!runsVersion(interpreter, type, version))
    throw new JobFailure('workflow-invalid', `the interpreter does not know ${name} ${version}`);
  const inputs = await fetchInputs(task, draft.task, view, fetched);
  await writeFile(join(draft.task, INPUTS), JSON.stringify(inputs), { mode: 0o600 });
  await noteRunWorkflow(draft, { type, work: view.work });
  const used = interpreterOfType(type);
  const { words, refusing, beforehand = [], afterwards = [] } = used;
  const placed: PlacedWorkflow = {
    document: join(view.task, document),
    fragment,
    inputs: join(view.task, INPUTS),
    work: view.work,
    provenance: task.provenance && join(view.work, PROVENANCE),
    limits,
    steps,
  };
  const command: NonEmpty<string> = [...interpreter.command, ...words(placed)];
  const recorded = task.provenance
    ? recordingLines(used, placed, view.task, interpreter.command)
    : [];
  if (beforehand.length + recorded.length + afterwards.length === 0) return command;
  const first = [
    ...beforehand,
    ...(task.provenance ? (refusing?.(interpreter.command) ?? []) : []),
  ];
  const lines = [...first, '"$@"', 'code=$?', ...afterwards, ...recorded, 'exit "$code"', ''];
  await writeFile(join(draft.task, SCRIPT), lines.join('\n'), { mode: 0o600 });
  return ['/bin/sh', join(view.task, SCRIPT), ...command];
}

const INPUTS = 'inputs.json';
const SCRIPT = 'run.sh';
