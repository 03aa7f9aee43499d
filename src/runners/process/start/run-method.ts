import type { NonEmpty } from '../../../words/ids.ts';
import type { UrlPolicy } from '../../../tasks/url-policy.ts';
import type { Volume } from '../../../tasks/volumes.ts';
import type { JobResult, Workload } from '../../port.ts';
import type { DevicePool } from './devices.ts';
import type { JobDirectory } from '../../run/directory.ts';
import type { Making } from '../../run/draft.ts';
import type { View } from './bubblewrap.ts';
import type { Reserve } from './script.ts';

/** A command line for a workload. */
export type PreparedCommand = {
  readonly command: NonEmpty<string>;
  readonly environment: Readonly<Record<string, string>>;
  readonly reserve: Reserve;
  /** folders of the directory of all jobs that it reads besides its own */
  readonly shared?: readonly string[];
};

/** What differs between the runners whose jobs are processes of this machine. */
export type RunMethod = {
  readonly name: string;
  /**
   * words before the command that take its network away where there is no sandbox; empty: it keeps
   * its network
   */
  readonly isolation: readonly string[];
  /** what its jobs need to see of the machine; undefined: they cannot run in a sandbox */
  readonly view?: Pick<View, 'readable' | 'network'>;
  /** hands out the devices of its jobs; undefined: they get none */
  readonly devices?: DevicePool;
  readonly volumeProblem: (volume: Volume) => string | undefined;
  /**
   * Puts the task's files into the draft and makes its command line. Called before the job's user
   * gets its directories.
   * @throws JobFailure
   */
  readonly prepare: (
    workload: Workload,
    making: Making,
    urls: UrlPolicy,
  ) => Promise<PreparedCommand>;
  /**
   * Results of the runner's own program, found once the run is over; adds their ids to `taken`.
   */
  readonly results: (place: JobDirectory, taken: Set<string>) => Promise<readonly JobResult[]>;
};
