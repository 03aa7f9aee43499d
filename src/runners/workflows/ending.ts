import { lstat, readFile, writeFile } from 'node:fs/promises';
import { join, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isExactNumber, parsedExactJson } from './exact-json.ts';
import { isRecord } from '../../words/record.ts';
import { isWorkflowType, type WorkflowType } from '../../workflows/languages.ts';
import type { JobResult } from '../port.ts';
import { readJson, writeJson, type JobDirectory } from '../run/directory.ts';
import type { Failure } from '../run/failure.ts';
import { fileResult } from '../run/results.ts';
import { readTail } from '../run/tail.ts';
import { interpreterOfType } from './interpreter.ts';

/** The id of the result with the outputs of a workflow. */
export const OUTPUT = 'output';

/** What is kept of a workflow until its run is over. */
export type RunWorkflow = {
  readonly type: WorkflowType;
  /** the path by which the job sees its working directory */
  readonly work: string;
};

/** Writes down that a run is one of a workflow, where the job cannot write. */
export function noteRunWorkflow(draft: JobDirectory, workflow: RunWorkflow): Promise<void> {
  return writeJson(markOf(draft), workflow);
}

/** @returns undefined when a run is none of a workflow */
export async function readRunWorkflow(place: JobDirectory): Promise<RunWorkflow | undefined> {
  const value = await readJson(markOf(place));
  if (!isRecord(value)) return undefined;
  const { type, work } = value;
  return typeof type === 'string' && isWorkflowType(type) && typeof work === 'string'
    ? { type, work }
    : undefined;
}

/**
 * What the interpreter printed of its outputs as a result of its own, in which each file has the id
 * of its result for its location: a relative URL, from this result.
 *
 * @param results all others
 */
export async function outputResult(
  place: JobDirectory,
  { type, work }: RunWorkflow,
  results: readonly JobResult[],
): Promise<readonly JobResult[]> {
  if (!interpreterOfType(type).printsOutputs) return [];
  const printed = parsedExactJson(await printedBy(place));
  if (!isRecord(printed)) return [];
  const ids = new Map(results.map(({ id, path }) => [posix.relative('work', path), id] as const));
  const told = located(printed, work, ids, 0);
  const file = join(place.root, FILE);
  await writeFile(file, `${JSON.stringify(told, undefined, 2)}\n`, { mode: 0o600 });
  return fileResult(place.root, file, OUTPUT, 'application/json');
}

/** Folders whose files are no results: the interpreter has them for itself. */
export function foldersOfInterpreter(
  { work }: Pick<JobDirectory, 'work'>,
  { type }: RunWorkflow,
): { readonly paths: readonly string[]; readonly names: readonly string[] } {
  const { ownFolders, ownAnywhere = [] } = interpreterOfType(type);
  return { paths: ownFolders.map((name) => join(work, name)), names: ownAnywhere };
}

/** Which step of a workflow failed; undefined: it is none, or nobody knows. */
export async function workflowFailure(
  place: JobDirectory,
  stderr: string,
): Promise<Failure | undefined> {
  const workflow = await readRunWorkflow(place);
  if (workflow === undefined) return undefined;
  const { failedStep, invalidity, log: where } = interpreterOfType(workflow.type);
  const log = where === 'stderr' ? stderr : await readTail(place.stdout);
  const step = failedStep(log);
  if (step !== undefined)
    return { code: 'workflow-step-failed', message: `the step ${step} failed`, detail: log };
  const reason = invalidity?.(log);
  return reason === undefined
    ? undefined
    : { code: 'workflow-invalid', message: reason, detail: log };
}

const FILE = 'output.json';
const MOST_PRINTED = 10 * 2 ** 20;
const DEEPEST = 60;

function markOf({ root }: JobDirectory): string {
  return join(root, 'workflow.json');
}

async function printedBy({ stdout }: JobDirectory): Promise<string> {
  const stats = await lstat(stdout).catch(() => undefined);
  return stats?.isFile() === true && stats.size <= MOST_PRINTED ? readFile(stdout, 'utf8') : '';
}

function located(
  value: unknown,
  work: string,
  ids: ReadonlyMap<string, string>,
  depth: number,
): unknown {
  if (depth > DEEPEST) return null;
  if (Array.isArray(value))
    return value.map((item: unknown) => located(item, work, ids, depth + 1));
  if (!isRecord(value) || isExactNumber(value)) return value;
  const inner = Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, located(item, work, ids, depth + 1)]),
  );
  const isPlaced = value['class'] === 'File' || value['class'] === 'Directory';
  if (!isPlaced || typeof value['location'] !== 'string') return inner;
  // The paths of this machine are of no use to anybody.
  const { path: _path, location: _location, ...rest } = inner;
  const path = pathOf(value['location']);
  const name = path === undefined ? undefined : relative(work, path);
  if (name === undefined || name.startsWith('..')) return rest;
  return { ...rest, location: ids.get(name) ?? encodeURI(name) };
}

function pathOf(location: string): string | undefined {
  try {
    return fileURLToPath(location);
  } catch {
    return undefined;
  }
}
