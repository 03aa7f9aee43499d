import { isNonEmpty, type NonEmpty } from '../words/ids.ts';
import type { Architecture } from '../compute/arch.ts';
import type { ImageSource } from './image.ts';
import type { KnownSources } from '../sources/known.ts';
import type { NotebookParameters } from './parameters.ts';
import type { UrlPolicy } from './url-policy.ts';
import type { WorkflowType } from '../workflows/languages.ts';

/** The source of a notebook or program: a URL that the worker fetches, or text in the ask. */
export type Source =
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'inline'; readonly text: string };

/** What a task in Python says that it needs; absent: nothing. */
export type PythonNeeds = {
  /**
   * requirements (PEP 508) or the text of a requirements.txt, as the client wrote them or as its
   * URL holds them
   */
  readonly requirements?: readonly string[] | string;
  /** the URL from which the planner read them */
  readonly requirementsUrl?: string;
  /** the only environment that will do, by its name at the site */
  readonly environment?: string;
  /** its imports are no needs */
  readonly checkImports?: false;
};

/** A Jupyter notebook (nbformat 4, Python), executed from the first cell to the last. */
export type NotebookTask = {
  readonly type: 'jupyter-notebook';
  readonly notebook: Source;
  readonly needs?: PythonNeeds;
  /** values for its variables, as with papermill; absent: none */
  readonly parameters?: NotebookParameters;
};
/** One Python file that runs as `__main__` with `arguments` as `sys.argv[1:]`. */
export type ProgramTask = {
  readonly type: 'python-program';
  readonly program: Source;
  readonly arguments: readonly string[];
  readonly needs?: PythonNeeds;
};
/** How the machines of a task are one job; absent: each of them runs the task for itself. */
type Parallel = 'mpi';

/** A program of the machine: argv, never a shell line, and its additional environment. */
export type ExecutableTask = {
  readonly type: 'executable';
  readonly command: NonEmpty<string>;
  readonly environment: Readonly<Record<string, string>>;
  readonly parallel?: Parallel;
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
  readonly parallel?: Parallel;
};

/** A packaged chart whose Jobs are the task; `values` are merged over its own. */
export type ChartTask = {
  readonly type: 'helm-chart';
  readonly chart: Source;
  readonly values: Readonly<Record<string, unknown>>;
};

/** A workflow, which an interpreter of its language runs; JSON values are its inputs. */
export type WorkflowTask = {
  readonly type: WorkflowType;
  readonly workflow: Source;
  readonly inputs: Readonly<Record<string, unknown>>;
  /** its provenance is a result; absent: it is not */
  readonly provenance?: true;
};

/** A valid task (2023 draft): `task.type` and `task.spec` in one value. */
export type Task =
  | NotebookTask
  | ProgramTask
  | ExecutableTask
  | ContainerTask
  | ChartTask
  | WorkflowTask;

/** Task types that can be one parallel job on several machines. */
export const PARALLEL_TYPES = ['executable', 'oci-container'] as const;

/** Refusal codes for faults of a task. */
type TaskProblemCode =
  | 'task-spec-unknown-key'
  | 'task-spec-invalid'
  | 'no-parallel-jobs'
  | 'notebook-invalid'
  | 'workflow-invalid'
  | 'workflow-reference'
  | 'url-forbidden'
  | 'url-invalid'
  | 'source-unread';

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
  /**
   * Reads `task.spec` and collects all problems, unknown keys included.
   * @param sources what its URLs hold
   */
  readonly parse: (spec: unknown, policy: UrlPolicy, sources?: KnownSources) => ParsedTask;
};

/** A task type whose tasks have its name. */
export type BuiltInType<Name extends Task['type']> = TaskType & { readonly name: Name };

/** Longest client text that a problem or a tool name repeats. */
const SHOWN = 200;

/** Whether the machines of a task are one allocation on which its command starts once. */
export function isParallel(task: Task): boolean {
  return 'parallel' in task && task.parallel !== undefined;
}

/**
 * Client text that is safe to show: control and bidirectional characters replaced, cut to 200
 * characters.
 */
export function shown(text: string, longest = SHOWN): string {
  const clean = text
    .slice(0, longest + 1)
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, '\u{fffd}');
  return clean.length > longest ? `${clean.slice(0, longest - 1)}…` : clean;
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
