import type {
  EnvironmentTerms,
  MadeTerms,
  PythonEnvironment,
} from '../../environments/environment.ts';
import { readFacts, type EnvironmentFacts } from '../../environments/facts.ts';
import { failuresFolder, unmetRequirements } from '../making/failures.ts';
import { errorText } from '../../words/system-error.ts';
import { askInterpreter } from './interpreter.ts';
import { askPyodide } from './pyodide.ts';

/**
 * Asks an environment what it has. One that does not answer, or answers nonsense, is broken.
 *
 * @param jobsRoot the directory of all jobs, where it is known what cannot be made
 * @param stop ends an interpreter that has not answered yet
 */
export async function askEnvironment(
  terms: EnvironmentTerms,
  jobsRoot?: string,
  stop?: AbortSignal,
): Promise<PythonEnvironment> {
  const { name, kind } = terms;
  try {
    const answer = await answerOf(terms, stop);
    const read = readFacts(JSON.parse(answer));
    if (terms.kind === 'venv' && jobsRoot !== undefined && read.ok)
      return { name, kind, state: 'ready', ...(await withUnmet(read.facts, terms, jobsRoot)) };
    return read.ok
      ? { name, kind, state: 'ready', facts: read.facts }
      : { name, kind, state: 'broken', why: read.problem };
  } catch (error) {
    const why = error instanceof SyntaxError ? 'its answer is no JSON' : errorText(error);
    return { name, kind, state: 'broken', why };
  }
}

async function answerOf(terms: EnvironmentTerms, stop?: AbortSignal): Promise<string> {
  switch (terms.kind) {
    case 'pyodide':
      return askPyodide();
    case 'image': {
      // Most sites have no container engine.
      const { askImage } = await import('../container/ask-image.ts');
      return askImage(terms);
    }
    case 'interpreter':
    case 'venv':
      return askInterpreter(terms.python, terms.paths, terms.kind === 'venv', stop);
    default:
      return terms satisfies never;
  }
}

/** What is known to be impossible is a part of what it has, and changes in a folder of its own. */
async function withUnmet(facts: EnvironmentFacts, terms: MadeTerms, jobsRoot: string) {
  const folders = [...facts.folders, await failuresFolder(jobsRoot)];
  return { facts: { ...facts, folders }, unmet: await unmetRequirements(jobsRoot, terms) };
}
