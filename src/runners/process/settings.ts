/**
 * What a site asks for: `required` does not start without a sandbox and cgroups, `preferred` uses
 * what the machine has, `none` uses neither.
 */
export type IsolationWish = 'required' | 'preferred' | 'none';

/** A device that jobs compute on, of one type. */
export type Device = {
  /** as its vendor's programs name it: a UUID (GPU-8f3c…) or an index */
  readonly id: string;
  /** its files, absolute paths; each device may list the files that all devices share */
  readonly files: readonly string[];
};

/** What a site says of jobs that are processes of this machine (key `process` of a destination). */
export type ProcessJobSettings = {
  readonly isolation: IsolationWish;
  /** `host` grants its jobs the network of the machine */
  readonly network: 'none' | 'host';
  /** processes and threads of a job */
  readonly tasks: number;
  /** absolute paths that jobs may read besides the system, such as programs of the site */
  readonly paths: readonly string[];
  /** devices that are handed out, by the URI of their type */
  readonly gpus: Readonly<Record<string, readonly Device[]>>;
};

/** The settings of a site that gives none. */
export const DEFAULT_PROCESS_SETTINGS: ProcessJobSettings = {
  isolation: 'preferred',
  network: 'none',
  tasks: 512,
  paths: [],
  gpus: {},
};

/** What a job sees besides the system: all of the machine without isolation. */
export function seenBy(wish: IsolationWish, paths: readonly string[]): readonly string[] {
  return wish === 'none' ? ['/'] : paths;
}
