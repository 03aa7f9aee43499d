import type { PythonNeeds, WorkflowTask } from '../tasks/task.ts';

/** What a task in Python needs, as its spec says it. */
export function printNeeds({
  needs: { requirements: read, requirementsUrl, environment, checkImports } = {},
}: {
  readonly needs?: PythonNeeds;
}): Readonly<Record<string, unknown>> {
  const requirements = requirementsUrl ?? read;
  return {
    ...(requirements !== undefined && { requirements }),
    ...(environment !== undefined && { environment }),
    ...(checkImports !== undefined && { 'check-imports': checkImports }),
  };
}

/** The details of a workflow, as its spec says them. */
export function printWorkflow({
  workflow,
  inputs,
  provenance,
}: WorkflowTask): Record<string, unknown> {
  return {
    workflow: workflow.kind === 'url' ? workflow.url : workflow.text,
    ...(Object.keys(inputs).length > 0 && { inputs }),
    ...(provenance && { provenance }),
  };
}
