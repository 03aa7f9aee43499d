import { workflowFault, type Faulty, type Reference } from '../language.ts';
import type { CalledFile } from './calls.ts';
import type { SnakefileBlock, Directive } from './directives.ts';

/** What names one file of the workflow. Data of rules are of the working directory. */
const KINDS: ReadonlyMap<string, Reference['kind']> = new Map([
  ['include', 'document'],
  ['snakefile', 'document'],
  ['script', 'file'],
  ['notebook', 'file'],
  // Snakemake reads it for its records of a step, even where it makes no environment of it.
  ['conda', 'file'],
]);

/**
 * The files beside a Snakefile that it names as text; what it computes is not known before it runs,
 * and is not there then.
 */
export function snakemakeReferences(
  blocks: readonly SnakefileBlock[],
  called: readonly CalledFile[],
  base: string | undefined,
): Faulty | { readonly ok: true; readonly references: readonly Reference[] } {
  const references: Reference[] = [];
  for (const directive of blocks.flatMap(({ said }) => said)) {
    const [kind, path] = [KINDS.get(directive.name), literalIn(directive)];
    if (kind === undefined || path === undefined) continue;
    if (directive.name === 'conda' && !OF_ENVIRONMENT.test(path)) continue;
    const url = fileOf(directive, base);
    if (url === undefined) return inAsk(directive.name, path);
    references.push({ url, kind });
  }
  for (const { name, path } of called) {
    const url = URL.parse(path, base)?.href;
    if (url === undefined) return inAsk(name, path);
    references.push({ url, kind: 'file' });
  }
  return { ok: true, references };
}

/** Without such an ending it is the name of an environment that is there. */
const OF_ENVIRONMENT = /\.ya?ml$/;

/** The address of the file that a directive names as text; undefined: it names none. */
export function fileOf(directive: Directive, base: string | undefined): string | undefined {
  const path = literalIn(directive);
  return path === undefined ? undefined : URL.parse(path, base)?.href;
}

function inAsk(name: string, path: string): Faulty {
  return workflowFault(
    'workflow-reference',
    `the workflow is in the ask, and ${name} names a file beside it`,
    path.slice(0, 200),
  );
}

function literalIn({ code, strings }: Directive): string | undefined {
  const [path] = strings;
  return path === undefined || !/^'',?$/.test(code) || /[{}]/.test(path) ? undefined : path;
}
