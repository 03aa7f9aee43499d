import { isNonEmpty, type NonEmpty } from '../words/ids.ts';
import type { Architecture } from '../compute/arch.ts';
import type { ImageSource } from './image.ts';
import type { NotebookParameters } from './parameters.ts';
import type { UrlPolicy } from './url-policy.ts';

/** The source of a notebook or program: a URL that the worker fetches, or text in the ask. */
export type Source =
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'inline'; readonly text: string };

/** A Jupyter notebook (nbformat 4, Python), executed from the first cell to the last. */
export type NotebookTask = {
  readonly type: 'jupyter-notebook';
  readonly notebook: Source;
  /** values for its variables, as with papermill; absent: none */
  readonly parameters?: NotebookParameters;
};
/** One Python file that runs as `__main__` with `arguments` as `sys.argv[1:]`. */
export type ProgramTask = {
  readonly type: 'python-program';
  readonly program: Source;
  readonly arguments: readonly string[];
};
/** A program of the machine: argv, never a shell line, and its additional environment. */
export type ExecutableTask = {
  readonly type: 'executable';
  readonly command: NonEmpty<string>;
  readonly environment: Readonly<Record<string, string>>;
};
/** A container of an image. */
export type ContainerTask = {
  readonly type: 'oci-container';
  readonly image: ImageSource;
  /** the architectures of the image, any of which will do; empty: the destination decides */
  readonly architectures: readonly Architecture[];
  /** replaces the image's; undefined: the image's, and its command too unless there is one */
  readonly entrypoint: readonly string[] | undefined;
  readonly command: readonly string[] | undefined;
  readonly environment: Readonly<Record<string, string>>;
  readonly network: 'none' | 'outbound';
};

/** A packaged chart whose Jobs are the task; `values` are merged over its own. */
export type ChartTask = {
  readonly type: 'helm-chart';
  readonly chart: Source;
  readonly values: Readonly<Record<string, unknown>>;
};

/** A valid task (2023 draft): `task.type` and `task.spec` in one value. */
export type Task = NotebookTask | ProgramTask | ExecutableTask | ContainerTask | ChartTask;

/** Refusal codes for faults of a task. */
type TaskProblemCode =
  | 'task-spec-unknown-key'
  | 'task-spec-invalid'
  | 'notebook-invalid'
  | 'url-forbidden'
  | 'url-invalid';

/**
 * A fault of a task. `at` is a path within its `spec`, for example `notebook` or `command[0]`;
 * empty: all of it.
 */
export type TaskProblem = {
  readonly at: string;
  readonly code: TaskProblemCode;
  readonly text: string;
  readonly asked?: string | number;
  readonly limit?: string | number;
};

/**
 * A client's ask for a task type of a plug-in: its name, the rest of its TPV tool id, and the
 * client's spec.
 */
export type PluginTask = {
  readonly name: string;
  readonly tool: string;
  readonly spec: Readonly<Record<string, unknown>>;
};

/** A task, or all its faults. */
export type ParsedTask =
  | { readonly ok: true; readonly task: Task; readonly plugin?: PluginTask }
  | { readonly ok: false; readonly problems: NonEmpty<TaskProblem> };

/** What a page needs to ask for a task of a type. */
export type TaskForm = {
  /** for people */
  readonly title: string;
  /** JSON Schema (2020-12) of `task.spec`; `parse` refuses more */
  readonly schema: object;
  /** a spec that runs at a site with this policy; undefined: none is known */
  readonly example: (policy: UrlPolicy) => object | undefined;
};

/** A task type (2023 draft): its names, how to read its `spec`, and how rule files see it. */
export type TaskType = {
  /** name in site files and rule files */
  readonly name: string;
  /** canonical URI in offers */
  readonly uri: string;
  /** URIs of other drafts that mean the same type */
  readonly aliases: readonly string[];
  readonly form: TaskForm;
  /** Reads `task.spec` and collects all problems, unknown keys included. */
  readonly parse: (spec: unknown, policy: UrlPolicy) => ParsedTask;
};

/** A task type whose tasks have its name. */
export type BuiltInType<Name extends Task['type']> = TaskType & { readonly name: Name };

/** Longest client text that a problem or a tool name repeats. */
const SHOWN = 200;

/**
 * Client text that is safe to show: control and bidirectional characters replaced, cut to 200
 * characters.
 */
export function shown(text: string): string {
  const clean = text
    .slice(0, SHOWN + 1)
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, '\u{fffd}');
  return clean.length > SHOWN ? `${clean.slice(0, SHOWN - 1)}…` : clean;
}

/**
 * The result of a `parse`: the task if there are no problems.
 *
 * @throws Error if there is neither a task nor a problem, a defect of the task type
 */
export function verdict(task: Task | undefined, problems: readonly TaskProblem[]): ParsedTask {
  if (isNonEmpty(problems)) return { ok: false, problems };
  if (task === undefined) throw new Error('a task was refused without a reason');
  return { ok: true, task };
}
