import { executable } from './executable.ts';
import { jupyterNotebook } from './jupyter-notebook.ts';
import { pythonProgram } from './python-program.ts';
import { shown, type Task, type TaskType } from './task.ts';

/** The task types of this version. A new one is a file of its own and a line here. */
export const taskTypes: readonly TaskType[] = [jupyterNotebook, pythonProgram, executable];

const byUri: ReadonlyMap<string, TaskType> = new Map(
  taskTypes.flatMap((type) => [type.uri, ...type.aliases].map((uri) => [uri, type] as const)),
);

/** The task type that `uri` names, or undefined: not understood means NO (product.md, R2). */
export const findTaskType = (uri: string): TaskType | undefined => byUri.get(uri);

const baseName = (program: string): string => program.slice(program.lastIndexOf('/') + 1) || program;

/**
 * The part after `<task-type>/` of the TPV tool id (product.md, How an ask meets TPV): the URL of a notebook or
 * program, `inline`, or the base name of a command. It has no control characters; a URL has at most 2,000 characters
 * and a name 200.
 */
export const toolName = (task: Task): string => {
  switch (task.type) {
    case 'jupyter-notebook':
      return task.notebook.kind === 'url' ? task.notebook.url : 'inline';
    case 'python-program':
      return task.program.kind === 'url' ? task.program.url : 'inline';
    case 'executable':
      return shown(baseName(task.command[0]));
    default:
      return task satisfies never;
  }
};
