import type { Seconds } from '../../words/units.ts';
import type { ForecastTerms } from '../engine-kind.ts';

/** How commands reach the controller. */
export type SlurmAccess =
  | {
      readonly transport: 'cli';
      /** absolute path of slurm.conf; undefined: the one that the commands find */ readonly conf:
        | string
        | undefined;
      /** absolute path of the folder with sbatch; undefined: PATH */ readonly bin:
        | string
        | undefined;
    }
  /**
   * slurmrestd: `unix:/path` or `http(s)://host:port`; the file holds a JWT
   * and is read for every request
   */
  | { readonly transport: 'rest'; readonly url: string; readonly tokenFile: string };

/**
 * How the nodes run containers: Podman without rights, as the job's user. Paths are absolute paths
 * of the nodes.
 */
export type NodeContainers = {
  readonly program: string;
  /** folder on the node's own disc that the job's user may write to */
  readonly store: string;
  /** containers.conf, registries.conf, and a file of credentials; undefined: Podman's own */
  readonly conf: string | undefined;
  readonly registries: string | undefined;
  readonly auth: string | undefined;
  /**
   * a network of Podman, such as `slirp4netns`, for jobs that ask for
   * `outbound`; undefined: no job has one
   */
  readonly network: string | undefined;
};

/** What a site says of a destination that is a Slurm cluster (docs/guides/runners/slurm.md). */
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
  /**
   * absolute path of an interpreter on the nodes that has Jupyter (nbclient, nbconvert,
   * ipykernel); undefined: no notebooks
   */
  readonly jupyter: string | undefined;
  /** undefined: no containers */
  readonly container: NodeContainers | undefined;
  /** words for sbatch, as the site wrote them */
  readonly arguments: readonly string[];
  /** generic resources by GPU type URI, such as `gpu:a100`; a type that is not named is `gpu` */
  readonly gres: Readonly<Record<string, string>>;
  /** how long a job may wait in Slurm's queue; then it is given up */
  readonly longestWait: Seconds;
  /**
   * `reservation`: the cluster keeps free what was accepted, by an advance reservation; `queue`:
   * nothing does
   */
  readonly guarantee: 'queue' | 'reservation';
  /**
   * where ended jobs are kept: slurmdbd, the file of jobcomp/filetxt, or
   * nowhere that the service can read
   */
  readonly accounting: 'none' | 'slurmdbd' | 'completions';
  /** undefined: offers follow from the book alone */
  readonly forecast: ForecastTerms | undefined;
  /** after this long without an answer from the controller, its jobs are lost */
  readonly unreachableLimit: Seconds;
};
