import { cwl } from './cwl/cwl.ts';
import type { WorkflowLanguage } from './language.ts';
import { nextflow } from './nextflow/nextflow.ts';
import { snakemake } from './snakemake/snakemake.ts';

/**
 * The languages of workflows, by the name of their task type. A new one is a folder here, a line
 * below, and an interpreter in `src/runners/workflows`.
 */
export const LANGUAGES = {
  'cwl-workflow': cwl,
  'snakemake-workflow': snakemake,
  'nextflow-workflow': nextflow,
} as const satisfies Readonly<Record<string, WorkflowLanguage>>;

export type WorkflowType = keyof typeof LANGUAGES;

/** Is a task type one of workflows? */
export function isWorkflowType(type: string): type is WorkflowType {
  return Object.hasOwn(LANGUAGES, type);
}

/** The language of a task type. */
export function languageOf(type: WorkflowType): WorkflowLanguage {
  return LANGUAGES[type];
}
