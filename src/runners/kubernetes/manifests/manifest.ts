import { isRecord } from '../../../words/record.ts';

/** Label with the id of the job, on everything that is made for it. Watches select by its key. */
export const JOB_LABEL = 'execution-planner.ivoa.net/job';

type Owner = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
};

/** An object for the API server. */
export type Manifest = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    /** with which of them the cluster removes it */
    readonly ownerReferences?: Owner[];
  };
  readonly [key: string]: unknown;
};

/**
 * Name of the Job of a task, with which the names of its other objects begin. Ids are unique among
 * sites.
 */
export function objectName(job: string): string {
  return `planner-${job}`;
}

/**
 * The kinds of objects that a job may have, except pods, in the order in which they are removed.
 */
export const KINDS = {
  Job: 'batch/v1',
  Deployment: 'apps/v1',
  ReplicaSet: 'apps/v1',
  Service: 'v1',
  ConfigMap: 'v1',
  Secret: 'v1',
  NetworkPolicy: 'networking.k8s.io/v1',
} as const;
export type ManifestKind = keyof typeof KINDS;

export function isManifestKind(text: string): text is ManifestKind {
  return text in KINDS;
}

/** Reads a manifest back from the job's directory; undefined when it is none. */
export function parseManifest(value: unknown): Manifest | undefined {
  if (!isRecord(value) || !isRecord(value['metadata'])) return undefined;
  const { apiVersion, kind, metadata } = value;
  const { name, namespace, labels, annotations } = metadata;
  if (!isText(apiVersion) || !isText(kind) || !isText(name) || !isText(namespace)) return undefined;
  const more = annotations === undefined ? {} : { annotations: textsOf(annotations) };
  return {
    ...value,
    apiVersion,
    kind,
    metadata: { name, namespace, labels: textsOf(labels), ...more },
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function textsOf(value: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(isRecord(value) ? value : {}).flatMap(([key, text]) =>
      isText(text) ? [[key, text]] : [],
    ),
  );
}
