import type { Fetched } from '../../run/fetch-source.ts';
import type { JobErrorCode } from '../../../words/catalogue.ts';
import type { NonEmpty } from '../../../words/ids.ts';
import type { Source, Task } from '../../../tasks/task.ts';
import type { Volume } from '../../../tasks/volumes.ts';
import type { JobResult, Workload } from '../../port.ts';
import type { DevicePool } from './devices.ts';
import type { JobDirectory } from '../../run/directory.ts';
import type { Making } from '../../run/draft.ts';
import type { View } from './bubblewrap.ts';
import type { Reserve } from './script.ts';

/** What a way of running needs from the machinery. */
export type Access = { readonly fetch: (source: Source) => Promise<Fetched> };

/** A command line for a workload, or why there is none. */
export type PreparedCommand =
  | {
      readonly ok: true;
      readonly command: NonEmpty<string>;
      readonly environment: Readonly<Record<string, string>>;
      readonly reserve: Reserve;
    }
  | {
      readonly ok: false;
      readonly code: JobErrorCode;
      readonly message: string;
      readonly transient: boolean;
    };

/**
 * One way of running tasks as processes of this machine: what differs between the
 * `process` and `notebook` runners.
 */
export type RunMethod = {
  readonly name: string;
  readonly runs: readonly Task['type'][];
  /**
   * words before the command that take its network away where there is no
   * sandbox; empty when it keeps it
   */
  readonly isolation: readonly string[];
  /** what its jobs need to see of the machine; undefined: they cannot run in a sandbox */
  readonly view?: Pick<View, 'readable' | 'network'>;
  /** hands out the devices of its jobs; undefined: they get none */
  readonly devices?: DevicePool;
  readonly volumeProblem: (volume: Volume) => string | undefined;
  /**
   * Puts the task's files into the draft and makes its command line. Called before the
   * job's user gets its directories.
   */
  readonly prepare: (
    workload: Workload,
    making: Making,
    access: Access,
  ) => Promise<PreparedCommand>;
  /**
   * Results of this way's own program, found once the run is over; their ids are added to `taken`.
   */
  readonly results: (place: JobDirectory, taken: Set<string>) => Promise<readonly JobResult[]>;
};
