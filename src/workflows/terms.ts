import type { NonEmpty } from '../words/ids.ts';
import { isWorkflowType, languageOf, type WorkflowType } from './languages.ts';

/** An interpreter of workflows, as a site names it. */
export type InterpreterTerms = {
  /** its program and the first words of every command line */
  readonly command: NonEmpty<string>;
  /** versions of the language, each with those before it; empty: nobody says */
  readonly versions: readonly string[];
  /** the image that has it, where jobs are containers */
  readonly image?: string;
  /** `engine`: it hands its steps to the cluster; absent: they run in the job's own allocation */
  readonly steps?: 'engine';
};

/** The interpreters of a destination, by the name of their language. */
export type WorkflowTerms = Readonly<Record<string, InterpreterTerms>>;

/** The interpreter for tasks of a type; undefined: there is none. */
export function interpreterFor(
  terms: WorkflowTerms | undefined,
  type: WorkflowType,
): InterpreterTerms | undefined {
  const { name } = languageOf(type);
  return terms !== undefined && Object.hasOwn(terms, name) ? terms[name] : undefined;
}

/** Does the interpreter for tasks of a type hand its steps to the cluster? */
export function handsOverSteps(terms: WorkflowTerms | undefined, type: string): boolean {
  return isWorkflowType(type) && interpreterFor(terms, type)?.steps === 'engine';
}

/** Does an interpreter run documents of a version? Documents without one are for any. */
export function runsVersion(
  { versions }: Pick<InterpreterTerms, 'versions'>,
  type: WorkflowType,
  version: string | undefined,
): boolean {
  const { isCovered } = languageOf(type);
  return (
    version === undefined ||
    versions.length === 0 ||
    versions.some((most) => isCovered(version, most))
  );
}
