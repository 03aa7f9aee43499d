import type { Task } from '../tasks/task.ts';
import type { Volume } from '../tasks/volumes.ts';
import type { NonEmpty } from '../words/ids.ts';
import type { Mebibytes, Seconds } from '../words/units.ts';
import type { JobShape } from './port.ts';
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
  readonly onThisMachine?: (settings: Settings) => OnThisMachine;
  /** Whether images run on the processors of this machine. */
  readonly runsImagesHere?: (settings: Settings) => boolean;
};

/** @returns the lack, where the value of its key is undefined */
export function lackUnless(value: unknown, lack: Lack): Lack | undefined {
  return value === undefined ? lack : undefined;
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
