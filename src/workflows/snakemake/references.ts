import { workflowFault, type Faulty, type Reference } from '../language.ts';
import type { Directive } from './directives.ts';

/** What names one file of the workflow. Data of rules are of the working directory. */
const KINDS: ReadonlyMap<string, Reference['kind']> = new Map([
  ['include', 'document'],
  ['snakefile', 'document'],
  ['script', 'file'],
  ['notebook', 'file'],
]);

/**
 * The files beside a Snakefile that it names as text; what it computes is not known before it runs,
 * and is not there then.
 */
export function snakemakeReferences(
  said: readonly Directive[],
  base: string | undefined,
): Faulty | { readonly ok: true; readonly references: readonly Reference[] } {
  const references: Reference[] = [];
  for (const { name, code, strings } of said) {
    const [kind, path] = [KINDS.get(name), strings[0]];
    if (kind === undefined || path === undefined || !/^'',?$/.test(code) || /[{}]/.test(path))
      continue;
    const url = URL.parse(path, base)?.href;
    if (url === undefined)
      return workflowFault(
        'workflow-reference',
        `the workflow is in the ask, and ${name} names a file beside it`,
        path.slice(0, 200),
      );
    references.push({ url, kind });
  }
  return { ok: true, references };
}
