import { executable } from './executable.ts';
import { helmChart } from './helm-chart.ts';
import { jupyterNotebook } from './jupyter-notebook.ts';
import { namedTypes, type NamedTypes } from '../words/named-types.ts';
import { imageName } from './image.ts';
import { ociContainer } from './oci-container.ts';
import { pythonProgram } from './python-program.ts';
import { isWorkflow, workflowTypes } from './workflow/workflow.ts';
import { shown, type BuiltInType, type Task, type TaskType } from './task.ts';

/** The task types that a service knows. */
export type TaskTypes = NamedTypes<TaskType>;

const BUILT_IN: { readonly [Type in Task['type']]: BuiltInType<Type> } = {
  'jupyter-notebook': jupyterNotebook,
  'python-program': pythonProgram,
  executable,
  'oci-container': ociContainer,
  'helm-chart': helmChart,
  ...workflowTypes,
};

/** The built-in types, one for each kind of task. A new one is a file of its own and a line above. */
export const BUILT_IN_TYPES: readonly BuiltInType<Task['type']>[] = Object.values(BUILT_IN);

/**
 * The built-in types and others; the loader of plug-ins has checked that names and URIs are unique.
 */
export function taskTypesWith(more: readonly TaskType[]): TaskTypes {
  return namedTypes([...BUILT_IN_TYPES, ...more]);
}

/** The task types without plug-ins. */
export const builtInTypes: TaskTypes = taskTypesWith([]);

/**
 * The part after `<task-type>/` of the TPV tool id: the URL of a notebook, program, chart, workflow
 * or image archive, `inline`, the base name of a command, or registry and path of an image without its tag.
 * It has no control characters; a URL has at most 2,000 characters and a name 200.
 */
export function toolName(task: Task): string {
  if (isWorkflow(task)) return task.workflow.kind === 'url' ? task.workflow.url : 'inline';
  switch (task.type) {
    case 'jupyter-notebook':
      return task.notebook.kind === 'url' ? task.notebook.url : 'inline';
    case 'python-program':
      return task.program.kind === 'url' ? task.program.url : 'inline';
    case 'executable':
      return shown(baseName(task.command[0]));
    case 'oci-container':
      return task.image.kind === 'registry' ? imageName(task.image) : task.image.url;
    case 'helm-chart':
      return task.chart.kind === 'url' ? task.chart.url : 'inline';
    default:
      return task satisfies never;
  }
}

function baseName(program: string): string {
  return program.slice(program.lastIndexOf('/') + 1) || program;
}
