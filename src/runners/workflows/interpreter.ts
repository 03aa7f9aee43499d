import type { WorkflowType } from '../../workflows/languages.ts';
import type { Limits } from '../port.ts';
import { cwltool } from './cwltool.ts';
import { nextflowCommand } from './nextflow.ts';
import { snakemakeCommand } from './snakemake.ts';

/** A workflow in the directory of its job, by the paths that the job sees. */
export type PlacedWorkflow = {
  /** the first document */
  readonly document: string;
  /** what its URL names in it, with '#'; empty: nothing */
  readonly fragment: string;
  /** the JSON of its inputs, whose files are paths */
  readonly inputs: string;
  /** where its results belong; the working directory */
  readonly work: string;
  /** an empty path for its provenance; undefined: nobody wants it */
  readonly provenance: string | undefined;
  readonly limits: Pick<Limits, 'cores' | 'memory'>;
  /** how it hands its steps to a cluster; undefined: they are its own processes */
  readonly steps: StepsAway | undefined;
};

/** How steps are handed to a cluster. */
export type StepsAway = {
  /** `COMMAND CORES MEGABYTES SCRIPT` prints the id of a step */
  readonly submit: string;
  /** `COMMAND ID` prints running, success or failed */
  readonly status: string;
  /** `COMMAND ID` ends a step */
  readonly cancel: string;
  /** a folder with the exit status of each step that ended, in a file with its id */
  readonly ended: string;
  /** what all steps together may take at a time: cores, and MiB */
  readonly cores: number;
  readonly memory: number;
};

/** How the interpreter of a language is used. What it prints is hostile. */
export type Interpreter = {
  /** The words after the command of the site. */
  readonly words: (placed: PlacedWorkflow) => readonly string[];
  /** Is what it prints the JSON of its outputs, whose files have paths in `location`? */
  readonly printsOutputs: boolean;
  /** Where it prints what it does. */
  readonly log: 'stdout' | 'stderr';
  /** The name of the step that failed, by the end of its log. */
  readonly failedStep: (log: string) => string | undefined;
  /** Why it did not begin a step, by the end of its log; absent: it does not say. */
  readonly invalidity?: (log: string) => string | undefined;
  /** Lines of a shell that end a run before it begins where nothing could be recorded of it. */
  readonly refusing?: (command: readonly string[]) => readonly string[];
  /** Lines of a shell that add to the folder of the provenance afterwards; absent: it fills it. */
  readonly recording?: (placed: PlacedWorkflow, command: readonly string[]) => readonly string[];
  /** Lines of a shell that come before the run; absent: none. */
  readonly beforehand?: readonly string[];
  /** Lines of a shell that follow the run in its working directory; absent: none. */
  readonly afterwards?: readonly string[];
  /** Folders of the working directory that it has for itself: their files are no results. */
  readonly ownFolders: readonly string[];
  /** Names of such folders wherever they are in it, since a workflow may move; absent: none. */
  readonly ownAnywhere?: readonly string[];
};

const INTERPRETERS: Readonly<Record<WorkflowType, Interpreter>> = {
  'cwl-workflow': cwltool,
  'snakemake-workflow': snakemakeCommand,
  'nextflow-workflow': nextflowCommand,
};

/** How the interpreter for workflows of a type is used. */
export function interpreterOfType(type: WorkflowType): Interpreter {
  return INTERPRETERS[type];
}
