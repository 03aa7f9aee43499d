import type { JobResult } from '../../runners/port.ts';
import { machineName } from '../../words/run-id.ts';
import type { Job } from '../job.ts';

/** By this name clients of TAP, such as pyvo and STILTS, ask for what a job was made for. */
export const MAIN_RESULT = 'result';

const FIRST = `${machineName(0)}.`;
const NAMED = /^result\.[\w.-]+$/;
const NOTEBOOK = 'application/x-ipynb+json';

type Own = { readonly name: string; readonly result: JobResult };

/**
 * The main result of a job that ended well: the file that its task called `result` (with any
 * extension, when there is one such), else the executed notebook, else the file that it left when
 * it left one, else what it printed. It has its own id besides.
 *
 * @returns undefined when there is none, or a result of that id already
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

/** The results of a job, and before them the main one by its second id. */
export function shownResults(job: Pick<Job, 'state' | 'results'>): readonly JobResult[] {
  const main = mainResult(job);
  return main === undefined ? job.results : [main, ...job.results];
}

/**
 * Results by the names that they have on their machine; of several machines, those of the first.
 */
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
