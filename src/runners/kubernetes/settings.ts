import type { RegistryImage } from '../../tasks/image.ts';
import type { Seconds } from '../../words/units.ts';

/** The kinds of objects that a chart may have. */
export const CHART_KINDS = ['Job', 'ConfigMap', 'Secret', 'Service', 'Deployment'] as const;
export type ChartKind = (typeof CHART_KINDS)[number];

/** How charts are rendered, and which kinds of objects they may have. */
export type ChartSettings = {
  /** absolute path of a helm binary, 3 or 4 */ readonly helm: string;
  readonly kinds: readonly ChartKind[];
};

/** A taint that jobs tolerate; without `value`, any value of the key. */
export type Toleration = {
  readonly key: string;
  readonly value: string | undefined;
  readonly effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
};

/**
 * What a site says of a destination that is a namespace of a Kubernetes cluster
 * (docs/guides/runners/kubernetes.md).
 */
export type KubernetesSettings = {
  /**
   * absolute path of a kubeconfig; undefined: the service account of
   * the pod that the executor is in
   */
  readonly kubeconfig: string | undefined;
  /** undefined: the current one of the kubeconfig */
  readonly context: string | undefined;
  readonly namespace: string;
  /**
   * the claim whose volume has the directory of jobs, and the folder of the volume that is that
   * directory, empty for all of it
   */
  readonly claim: { readonly name: string; readonly folder: string };
  /** whether jobs that ask for it reach the Internet; all others have no network */
  readonly outbound: boolean;
  readonly runtimeClass: string | undefined;
  readonly priorityClass: string | undefined;
  /** secrets of the namespace with credentials of registries */
  readonly pullSecrets: readonly string[];
  readonly nodeSelector: Readonly<Record<string, string>>;
  readonly tolerations: readonly Toleration[];
  /** extended resources by GPU type URI; a type that is not named is `nvidia.com/gpu` */
  readonly gpus: Readonly<Record<string, string>>;
  /** whether a tag is pulled again although the node has an image of that name */
  readonly pull: 'always' | 'missing';
  /** how long an image may take after its pod came to a node; then the job ends */
  readonly pullLimit: Seconds;
  /** how long a job may wait for a node; then it is given up */
  readonly longestWait: Seconds;
  /** after this long without an answer from the cluster, its jobs are lost */
  readonly unreachableLimit: Seconds;
  /** images in which tasks run that are no containers themselves; each has /bin/sh */
  readonly images: {
    readonly executable: RegistryImage | undefined;
    readonly 'python-program': RegistryImage | undefined;
  };
  /** undefined: no charts here */
  readonly charts: ChartSettings | undefined;
};
