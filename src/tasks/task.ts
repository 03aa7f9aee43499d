import { isNonEmpty, type NonEmpty } from '../words/ids.ts';
import type { Architecture } from '../compute/arch.ts';
import type { ImageSource } from './image.ts';
import type { NotebookParameters } from './parameters.ts';
import type { UrlPolicy } from './url-policy.ts';

/**
 * Where a notebook or a program comes from: fetched by the worker, or carried in the ask itself.
 */
export type Source =
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'inline'; readonly text: string };

/** A Jupyter notebook (nbformat 4, Python), executed from the first cell to the last. */
export type NotebookTask = {
  readonly type: 'jupyter-notebook';
  readonly notebook: Source;
  /** values for its variables, in the manner of papermill; none when absent */
  readonly parameters?: NotebookParameters;
};
/** One Python file, run as `__main__` with `arguments` as `sys.argv[1:]`. */
export type ProgramTask = {
  readonly type: 'python-program';
  readonly program: Source;
  readonly arguments: readonly string[];
};
/** A program of the machine: argv, never a shell line, and what is added to its environment. */
export type ExecutableTask = {
  readonly type: 'executable';
  readonly command: NonEmpty<string>;
  readonly environment: Readonly<Record<string, string>>;
};
/** A container of an image. */
export type ContainerTask = {
  readonly type: 'oci-container';
  readonly image: ImageSource;
  /** for which there is an image, any of them; empty: for whatever the destination has */
  readonly architectures: readonly Architecture[];
  /** in place of the image's; undefined: the image's, and its command too unless one is given */
  readonly entrypoint: readonly string[] | undefined;
  readonly command: readonly string[] | undefined;
  readonly environment: Readonly<Record<string, string>>;
  readonly network: 'none' | 'outbound';
};

/** A packaged chart, whose Jobs are the task; `values` are merged over its own. */
export type ChartTask = {
  readonly type: 'helm-chart';
  readonly chart: Source;
  readonly values: Readonly<Record<string, unknown>>;
};

/** A task that was understood (2023 draft): `task.type` and `task.spec` in one value. */
export type Task = NotebookTask | ProgramTask | ExecutableTask | ContainerTask | ChartTask;

/** Codes of the refusal catalogue that a task description can earn. */
export type TaskProblemCode =
  | 'task-spec-unknown-key'
  | 'task-spec-invalid'
  | 'notebook-invalid'
  | 'url-forbidden'
  | 'url-invalid';

/**
 * One thing that is wrong with a task description. `at` is a path within its `spec`, for example
 * `notebook` or `command[0]`; empty: all of it.
 */
export type TaskProblem = {
  readonly at: string;
  readonly code: TaskProblemCode;
  readonly text: string;
  readonly asked?: string | number;
  readonly limit?: string | number;
};

/**
 * How a client asked for a task whose type a plug-in adds: its name, the rest of its TPV
 * tool id, and the spec as given.
 */
export type PluginTask = {
  readonly name: string;
  readonly tool: string;
  readonly spec: Readonly<Record<string, unknown>>;
};

/** A task, or everything that is wrong with its description. */
export type ParsedTask =
  | { readonly ok: true; readonly task: Task; readonly plugin?: PluginTask }
  | { readonly ok: false; readonly problems: NonEmpty<TaskProblem> };

/**
 * A task type as a plug-in (2023 draft): its names, how its `spec` is
 * read, and how rule files see it.
 */
export type TaskType = {
  /** as site files and rule files know it */
  readonly name: string;
  /** canonical URI, as offers print it */
  readonly uri: string;
  /** URIs of other drafts that mean the same type */
  readonly aliases: readonly string[];
  /** Reads `task.spec`; all problems are collected, unknown keys included. */
  readonly parse: (spec: unknown, policy: UrlPolicy) => ParsedTask;
};

/** Longest piece of client text that is repeated in a problem or a tool name. */
const SHOWN = 200;

/**
 * Client text made fit to be shown: control and bidirectional characters
 * replaced, cut to 200 characters.
 */
export function shown(text: string): string {
  const clean = text
    .slice(0, SHOWN + 1)
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, '\u{fffd}');
  return clean.length > SHOWN ? `${clean.slice(0, SHOWN - 1)}…` : clean;
}

/**
 * The end of a `parse`: the task when nothing is wrong, the problems otherwise.
 *
 * @throws Error when a task could not be read and nobody said why,
 * which is a defect of the plug-in.
 */
export function verdict(task: Task | undefined, problems: readonly TaskProblem[]): ParsedTask {
  if (isNonEmpty(problems)) return { ok: false, problems };
  if (task === undefined) throw new Error('a task was refused without a reason');
  return { ok: true, task };
}
