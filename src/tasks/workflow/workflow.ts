import { isRecord } from '../../words/record.ts';
import { writtenText } from '../../words/safe-text.ts';
import { LANGUAGES, languageOf, type WorkflowType } from '../../workflows/languages.ts';
import { judgeWorkflow } from './facts.ts';
import { readInputs } from './inputs.ts';
import { workflowForm } from '../forms/workflow.ts';
import {
  invalidSpec,
  LONGEST_INLINE,
  readSpec,
  readString,
  readUrl,
  type SpecReader,
} from '../spec-reader.ts';
import type { UrlPolicy } from '../url-policy.ts';
import {
  shown,
  verdict,
  type BuiltInType,
  type Source,
  type Task,
  type WorkflowTask,
} from '../task.ts';

/** Is a task a workflow, in whatever language? */
export function isWorkflow(task: Task): task is WorkflowTask {
  return Object.hasOwn(LANGUAGES, task.type);
}

/** The task types of workflows, one for each language. */
export const workflowTypes: { readonly [Type in WorkflowType]: BuiltInType<Type> } = {
  'cwl-workflow': workflowType('cwl-workflow'),
  'snakemake-workflow': workflowType('snakemake-workflow'),
  'nextflow-workflow': workflowType('nextflow-workflow'),
};

/**
 * `spec: { workflow: <URL, or the document itself>, inputs: { … }, provenance: true }`: a text
 * with several lines is the document, and a mapping, too.
 */
function workflowType<Type extends WorkflowType>(type: Type): BuiltInType<Type> {
  return {
    name: type,
    uri: `https://www.purl.org/ivoa-net/task-type/${type}`,
    aliases: [`https://www.purl.org/ivoa.net/task-type/${type}`, `uri:${type}-1.0`],
    form: workflowForm(type),
    parse: (spec, policy, sources) => {
      const reader = readSpec(spec, ['workflow', 'inputs', 'provenance']);
      if (!isRecord(spec)) return verdict(undefined, reader.problems);
      const workflow = readWorkflow(reader, policy);
      const given = reader.fields.get('inputs');
      const judged = workflow && judgeWorkflow(languageOf(type), workflow, given, policy, sources);
      if (judged?.ok === false) reader.problems.push({ at: 'workflow', ...judged.fault });
      const inputs = readInputs(reader, policy, languageOf(type).whyNoInput);
      const provenance = reader.fields.get('provenance') ?? false;
      if (typeof provenance !== 'boolean')
        invalidSpec(
          reader,
          'provenance',
          'provenance must be true or false',
          shown(writtenText(provenance)),
        );
      return verdict(
        workflow && { type, workflow, inputs, ...(provenance === true && { provenance }) },
        reader.problems,
      );
    },
  };
}

function readWorkflow(reader: SpecReader, policy: UrlPolicy): Source | undefined {
  const value = reader.fields.get('workflow');
  const text = isRecord(value) ? JSON.stringify(value) : value;
  if (value === undefined) {
    reader.problems.push({ at: '', code: 'task-spec-invalid', text: 'the spec needs workflow' });
    return undefined;
  }
  if (typeof text !== 'string' || !isDocument(text)) return readUrl(reader, 'workflow', policy);
  const inline = readString(reader, 'workflow', text, LONGEST_INLINE);
  return inline === undefined ? undefined : { kind: 'inline', text: inline };
}

function isDocument(text: string): boolean {
  return text.includes('\n') || text.startsWith('{');
}
