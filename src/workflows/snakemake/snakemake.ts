import { workflowFault, type WorkflowLanguage } from '../language.ts';
import { isCoveredByNumbers } from '../versions.ts';
import { calledFiles } from './calls.ts';
import { blocksOf, type SnakefileBlock } from './directives.ts';
import { downloadIn } from './elsewhere.ts';
import { leastOf, SNAKEMAKE_MEMORY } from './least.ts';
import { snakefileLines, type Line } from './lines.ts';
import { snakemakeReferences } from './references.ts';
import { rulesOf } from './rules.ts';

/**
 * Snakemake. A Snakefile is Python: its text is read, and nothing of it is executed before the job
 * runs. Snakemake itself finds its cycles, before it begins a rule.
 */
export const snakemake: WorkflowLanguage = {
  name: 'snakemake',
  referencesOf: (text, base) => {
    const lines = snakefileLines(text);
    const [blocks, called] = [blocksOf(lines), calledFiles(lines)];
    return downloadIn(lines, blocks, called) ?? snakemakeReferences(blocks, called, base);
  },
  factsOf: (texts) => {
    const lines = [texts.text, ...texts.others.values()].flatMap(snakefileLines);
    if (!blocksOf(lines).some(bringsRules))
      return workflowFault('workflow-invalid', 'the workflow has no rule of Snakemake');
    return { ok: true, facts: { version: leastVersion(lines), least: leastOf(rulesOf(texts)) } };
  },
  // References of a Snakefile are relative.
  localised: (text) => text,
  memory: SNAKEMAKE_MEMORY,
  handsOverSteps: true,
  isCovered: isCoveredByNumbers,
};

/** What makes a text a workflow, though it may have no rule of its own. */
function bringsRules({ header, said }: SnakefileBlock): boolean {
  return header !== undefined || said.some(({ name }) => name === 'include');
}

/** The newest version that Snakefiles ask for by `min_version("7.0")`. */
function leastVersion(lines: readonly Line[]): string | undefined {
  const [first, ...more] = lines.flatMap(({ code, strings: [version = ''] }) =>
    MIN_VERSION.test(code) && VERSION.test(version) ? [version] : [],
  );
  // What a version does not say is 0.
  const isNewer = (one: string, other: string): boolean =>
    !isCoveredByNumbers(one, `${other}.0.0.0`);
  return more.reduce((newest, one) => (newest && isNewer(one, newest) ? one : newest), first);
}

const MIN_VERSION = /^(?:snakemake\.)?(?:utils\.)?min_version\s*\(\s*''\s*\)\s*;?$/;
const VERSION = /^\d{1,9}(\.\d{1,9}){0,3}$/;
