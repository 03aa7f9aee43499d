import type { EnvironmentTerms } from '../environments/environment.ts';
import type { Task } from '../tasks/task.ts';
import type { Volume } from '../tasks/volumes.ts';
import type { NonEmpty } from '../words/ids.ts';
import type { Mebibytes, Seconds } from '../words/units.ts';
import type { JobShape } from './port.ts';
import { languageOf, type WorkflowType } from '../workflows/languages.ts';
import { interpreterFor, type WorkflowTerms } from '../workflows/terms.ts';
import type { Device, IsolationWish } from './process/settings.ts';

/** A setting that an engine needs to run tasks of a type, and that the site does not give. */
type Lack = {
  /** for a client: `Python on the nodes` */
  readonly what: string;
  /** the key of the site file that is missing */
  readonly key: string;
  /** whether the key is one of the whole site and not of the destination */
  readonly isOfSite?: boolean;
  /** entry below the key, where one for each task type is expected */
  readonly entry?: string;
  /** for the site's administrator: what belongs there */
  readonly hint: string;
};

/**
 * How long a task's command line and environment may be: bytes of one word or variable, and of all;
 * `sizeOf` counts them.
 */
export type TextLimit = {
  readonly word: number;
  readonly all: number;
  readonly sizeOf: (text: string) => number;
};

/** Which jobs an engine is asked about, and how often. */
export type ForecastTerms = { readonly every: Seconds; readonly shapes: NonEmpty<JobShape> };

/** Jobs of several machines that an engine starts once. */
type ParallelJobs = {
  /** tasks that it starts so */
  readonly types: readonly Task['type'][];
  /** why it starts no others so, as a sentence */
  readonly otherwise?: string;
  /** why it does not start this task so, as a sentence; absent: it does */
  readonly lackOf?: (task: Task) => string | undefined;
  /** whether all machines of such a job have the same amounts */
  readonly isUniform: boolean;
};

/** Jobs that are processes of this machine. */
type OnThisMachine = {
  /** what the site says of their isolation */
  readonly wish: IsolationWish;
  /** whether they are confined even where the machine has no sandbox */
  readonly isConfined: boolean;
};

/**
 * What the planner and the readers of site files know of one kind of engine, without asking it. An
 * optional member that is absent means "none".
 *
 * @typeParam Settings what a site says of such an engine
 */
export type EngineKind<Settings> = {
  /** Task types that its runner executes; those of plug-ins become one of these. */
  readonly executes: Readonly<Record<Task['type'], boolean>>;
  /** Whether a job gets the devices that it was promised, and no others. */
  readonly handsOutGpus: boolean;
  /** A task type whose jobs get no devices all the same. */
  readonly noGpusFor?: Task['type'];
  /** Why a job cannot use more than its minimum while nobody else needs it; absent: it can. */
  readonly noBurst?: string;
  /** Absent: its jobs of several machines are one run for each of them. */
  readonly parallel?: ParallelJobs;
  /** Whether `env` starts the programs: it takes a path that contains "=" for a variable. */
  readonly startsByEnv: boolean;
  /** Why images cannot come from archives, as a sentence; absent: they can. */
  readonly noArchives?: string;
  /** Why a job cannot have a volume, or undefined. */
  readonly volumeProblem: (settings: Settings) => (volume: Volume) => string | undefined;
  /** Whether jobs that ask for a network get one. */
  readonly grantsOutbound?: (settings: Settings) => boolean;
  readonly lackOf?: (settings: Settings, type: Task['type']) => Lack | undefined;
  /** Undefined where a task has no command line: the built-in Python reads a file. */
  readonly textLimitOf: (settings: Settings) => TextLimit | undefined;
  /** Devices that the site names, by the URI of their type; absent where the engine knows its own. */
  readonly devicesOf?: (settings: Settings) => Readonly<Record<string, readonly Device[]>>;
  /** What the engine is asked about its queue; undefined where the site wants no forecasts. */
  readonly forecastOf?: (settings: Settings) => ForecastTerms | undefined;
  /** Whether the engine itself keeps free what was accepted. */
  readonly isGuaranteed?: (settings: Settings) => boolean;
  /** The engine refuses a task of the type with less memory, which it needs for itself. */
  readonly leastMemoryOf?: (settings: Settings, type: Task['type']) => Mebibytes | undefined;
  /**
   * What a task of the type needs for itself beside the steps that it hands to the engine; undefined:
   * it hands it none. Absent: the engine takes no steps.
   */
  readonly headOf?: (
    settings: Settings,
    type: Task['type'],
  ) => Pick<JobShape, 'cores' | 'memory'> | undefined;
  readonly onThisMachine?: (settings: Settings) => OnThisMachine;
  /** The interpreters of its tasks in Python, best first; undefined: they are not known. */
  readonly environmentsOf?: (settings: Settings) => readonly EnvironmentTerms[] | undefined;
  /** How a site may name these interpreters; absent: it may not. */
  readonly takesEnvironments?: {
    /** whether the built-in Python can be one */
    readonly builtIn: boolean;
    /** whether they can be made for a task */
    readonly made?: boolean;
    /** whether they are images, and nothing else */
    readonly images?: boolean;
    /** the key of the destination that names an interpreter in another way, if it is there */
    readonly otherwise: (settings: Settings) => string | undefined;
  };
  /** Whether images run on the processors of this machine. */
  readonly runsImagesHere?: (settings: Settings) => boolean;
};

/** @returns the lack, where the value of its key is undefined */
export function lackUnless(value: unknown, lack: Lack): Lack | undefined {
  return value === undefined ? lack : undefined;
}

/** Whether an engine runs workflows: in every language, where the site names an interpreter. */
export function workflows(areRun: boolean): Readonly<Record<WorkflowType, boolean>> {
  return { 'cwl-workflow': areRun, 'snakemake-workflow': areRun, 'nextflow-workflow': areRun };
}

/** @returns the lack of an interpreter for workflows */
export function workflowLack(
  terms: WorkflowTerms | undefined,
  type: WorkflowType,
): Lack | undefined {
  const { name } = languageOf(type);
  return lackUnless(interpreterFor(terms, type), {
    what: `interpreter of ${name}`,
    key: `workflows.${name}`,
    hint: `how it is started, for example workflows: { ${name}: { command: [${name}tool] } }`,
  });
}

/**
 * Linux takes 128 KiB for one word and 2 MiB for all; both limits leave some room for what an
 * engine adds.
 */
export const PROGRAM_TEXT: TextLimit = {
  word: 131_000,
  all: 2 ** 20,
  sizeOf: (text) => Buffer.byteLength(text),
};

/** @returns the lack of an image for tasks that are no containers themselves */
export function imageLack(
  images: Readonly<Record<'executable' | 'python-program', unknown>>,
  type: Task['type'],
  key: string,
): Lack | undefined {
  return type === 'executable' || type === 'python-program'
    ? lackUnless(images[type], {
        what: `image for ${type}`,
        key,
        entry: type,
        hint: 'the image in which such tasks run',
      })
    : undefined;
}
