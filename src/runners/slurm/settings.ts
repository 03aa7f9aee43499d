import type { Seconds } from '../../words/units.ts';

/** How commands reach the controller. */
export type SlurmAccess =
  | { readonly transport: 'cli'; /** absolute path of slurm.conf; undefined: the one that the commands find */ readonly conf: string | undefined; /** absolute path of the folder with sbatch; undefined: PATH */ readonly bin: string | undefined }
  /** slurmrestd: `unix:/path` or `http(s)://host:port`; the file holds a JWT and is read for every request */
  | { readonly transport: 'rest'; readonly url: string; readonly tokenFile: string };

/** What a site says of a destination that is a Slurm cluster (docs/runners/slurm.md). */
export type SlurmSettings = {
  readonly access: SlurmAccess;
  readonly partition: string;
  readonly account: string | undefined;
  readonly qos: string | undefined;
  readonly constraint: string | undefined;
  /** user that jobs run as; undefined: the service's own, which is not root */
  readonly user: string | undefined;
  /** absolute path of an interpreter on the nodes; undefined: no Python programs */
  readonly python: string | undefined;
  /** words for sbatch, as the site wrote them */
  readonly arguments: readonly string[];
  /** generic resources by GPU type URI, such as `gpu:a100`; a type that is not named is `gpu` */
  readonly gres: Readonly<Record<string, string>>;
  /** a job that Slurm did not start for so long is given up */
  readonly longestWait: Seconds;
  /** a controller that does not answer for so long has lost its jobs */
  readonly unreachableLimit: Seconds;
};
