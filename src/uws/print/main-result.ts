import type { JobResult } from '../../runners/port.ts';
import { machineName } from '../../words/run-id.ts';
import type { Job } from '../job.ts';

/** TAP clients such as pyvo and STILTS ask for the main result by this name. */
export const MAIN_RESULT = 'result';

const FIRST = `${machineName(0)}.`;
const NAMED = /^result\.[\w.-]+$/;
const NOTEBOOK = 'application/x-ipynb+json';

type Own = { readonly name: string; readonly result: JobResult };

/**
 * Finds the main result of a completed job, and gives it the id `result` besides its own. In this
 * order: the file that the task called `result`, with any extension if only one such file exists;
 * the executed notebook; the only file of the job; stdout.
 *
 * @returns undefined without any of these, and when a result has that id already
 */
export function mainResult({
  state,
  results,
}: Pick<Job, 'state' | 'results'>): JobResult | undefined {
  if (state !== 'COMPLETED' || results.some(({ id }) => id === MAIN_RESULT)) return undefined;
  const own = ownResults(results);
  const files = own.filter(({ name }) => name !== 'stdout' && name !== 'stderr');
  const found =
    own.find(({ name }) => name === MAIN_RESULT) ??
    onlyOne(files.filter(({ name }) => NAMED.test(name))) ??
    own.find(({ name, result }) => name === 'notebook' && result.mimeType === NOTEBOOK) ??
    onlyOne(files) ??
    own.find(({ name }) => name === 'stdout');
  return found && { ...found.result, id: MAIN_RESULT };
}

/** The results of a job, the main result first under its second id. */
export function shownResults(job: Pick<Job, 'state' | 'results'>): readonly JobResult[] {
  const main = mainResult(job);
  return main === undefined ? job.results : [main, ...job.results];
}

/** Results by their names on their machine; for several machines, those of the first machine. */
function ownResults(results: readonly JobResult[]): readonly Own[] {
  const ids = new Set(results.map(({ id }) => id));
  const prefix = ids.has('stdout') || !ids.has(`${FIRST}stdout`) ? '' : FIRST;
  return results
    .filter(({ id }) => id.startsWith(prefix))
    .map((result) => ({ name: result.id.slice(prefix.length), result }));
}

function onlyOne([first, ...more]: readonly Own[]): Own | undefined {
  return more.length === 0 ? first : undefined;
}
