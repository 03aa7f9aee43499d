import type { EnvironmentTerms } from '../../environments/environment.ts';
import type { RegistryImage } from '../../tasks/image.ts';
import type { Seconds } from '../../words/units.ts';
import type { WorkflowTerms } from '../../workflows/terms.ts';
import type { NamedDevice } from '../reading/devices.ts';

/** Where a service with the Docker Engine API listens. Paths are absolute. */
export type EngineAddress =
  | { readonly kind: 'unix'; readonly path: string }
  | {
      readonly kind: 'tcp';
      readonly host: string;
      readonly port: number;
      readonly tls: { readonly ca: string; readonly cert: string; readonly key: string };
    };

/** A device that containers compute on. */
export type ContainerDevice = NamedDevice;

/** What a site says of a container engine (key `container` of a destination). */
export type ContainerSettings = {
  readonly address: EngineAddress;
  /** the engine's name of an OCI runtime; undefined: the engine chooses */
  readonly runtime: string | undefined;
  /**
   * `job`: an unprivileged user, whatever the image says; `image`: the image's, root
   * perhaps, without capabilities
   */
  readonly user: 'job' | 'image';
  /** network of the engine for jobs that ask for `outbound`; undefined: no job has a network */
  readonly outbound: string | undefined;
  /** absolute path of a `config.json` with credentials of registries */
  readonly auth: string | undefined;
  /**
   * whether a tag is pulled again although the engine has an image of that name; an image with a
   * digest never is
   */
  readonly pull: 'always' | 'missing';
  readonly pullLimit: Seconds;
  /** after this long without an answer from the engine, its jobs are lost */
  readonly unreachableLimit: Seconds;
  /** most processes and threads of a job */
  readonly tasks: number;
  /** devices that are handed out, by the URI of their type */
  readonly gpus: Readonly<Record<string, readonly ContainerDevice[]>>;
  /** images in which tasks run that are no containers themselves */
  readonly images: {
    readonly executable: RegistryImage | undefined;
    readonly 'python-program': RegistryImage | undefined;
  };
  readonly workflows?: WorkflowTerms | undefined;
  /** images of Python programs that are named, best first */
  readonly environments?: readonly EnvironmentTerms[] | undefined;
};

/** A destination's container engine, with the interpreters of workflows that its images have. */
export type ContainerEngineSettings = {
  readonly container: ContainerSettings;
  readonly workflows?: WorkflowTerms;
  readonly environments?: readonly EnvironmentTerms[];
};
