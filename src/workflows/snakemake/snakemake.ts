import { workflowFault, type WorkflowLanguage } from '../language.ts';
import { isCoveredByNumbers } from '../versions.ts';
import { directivesOf, type Directives } from './directives.ts';
import { downloadIn } from './elsewhere.ts';
import { leastOf, SNAKEMAKE_MEMORY } from './least.ts';
import { snakefileLines, type Line } from './lines.ts';
import { snakemakeReferences } from './references.ts';

/** What makes a text a workflow, though it has no rule of its own. */
const BRINGS_RULES = new Set(['include', 'module', 'use']);

/**
 * Snakemake. A Snakefile is Python: its text is read, and nothing of it is executed before the job
 * runs. Snakemake itself finds its cycles, before it begins a rule.
 */
export const snakemake: WorkflowLanguage = {
  name: 'snakemake',
  referencesOf: (text, base) => {
    const lines = snakefileLines(text);
    const { said } = directivesOf(lines);
    return downloadIn(lines, said) ?? snakemakeReferences(said, base);
  },
  factsOf: ({ text, others }) => {
    const lines = [text, ...others.values()].flatMap(snakefileLines);
    const directives = directivesOf(lines);
    if (!hasRules(lines, directives))
      return workflowFault('workflow-invalid', 'the workflow has no rule of Snakemake');
    return { ok: true, facts: { version: leastVersion(lines), least: leastOf(directives.said) } };
  },
  // References of a Snakefile are relative, or lead to another host.
  localised: (text) => text,
  memory: SNAKEMAKE_MEMORY,
  handsOverSteps: true,
  isCovered: isCoveredByNumbers,
};

function hasRules(lines: readonly Line[], { rules }: Directives): boolean {
  return (
    rules.length > 0 ||
    lines.some(({ code }) => BRINGS_RULES.has(/^\w+(?=[\s:])/.exec(code)?.[0] ?? ''))
  );
}

/** The version that a Snakefile asks for by `min_version("7.0")`. */
function leastVersion(lines: readonly Line[]): string | undefined {
  const found = lines.find(({ code }) => /^min_version\(''\)$/.test(code))?.strings[0];
  return found !== undefined && /^\d{1,9}(\.\d{1,9}){0,3}$/.test(found) ? found : undefined;
}
