import type {
  CoreV1Event,
  KubeConfig,
  KubernetesObject,
  KubernetesObjectApi,
  PatchStrategy,
  V1Job,
  V1Pod,
} from '@kubernetes/client-node';
import { PassThrough, type Readable } from 'node:stream';
import { isRecord } from '../../words/record.ts';
import { watchIn, type Watched, type WatchObjects } from './watch.ts';
import {
  JOB_LABEL,
  KINDS,
  isManifestKind,
  type Manifest,
  type ManifestKind,
} from './manifests/manifest.ts';
import { ALREADY_EXISTS, bounded, ClusterRefusal, isNotFound } from './refusal.ts';
import type { KubernetesSettings } from './settings.ts';

/**
 * The namespace of a cluster, by the official client. Every call is bounded in time, except a log
 * or a watch that follows.
 *
 * @throws ClusterRefusal when the API server says no, or an error of the connection, all of them
 */
export type Cluster = {
  /**
   * Makes an object, unless it is there already and ours.
   * @returns the cluster's own id of the object
   */
  readonly create: (manifest: Manifest) => Promise<string>;
  /**
   * Lets a Job have this many pods at a time.
   * @throws ClusterRefusal when it is not the one with this id
   */
  readonly allow: (name: string, uid: string, pods: number) => Promise<void>;
  /** Removes a Job, if it is the one with this id. */
  readonly removeJob: (name: string, uid: string) => Promise<void>;
  readonly jobs: (job: string) => Promise<readonly V1Job[]>;
  readonly pods: (job: string) => Promise<readonly V1Pod[]>;
  /**
   * The last complaint about pods that a Job could not get; undefined when there is none, or when
   * we may not read events.
   */
  readonly complaint: (jobName: string) => Promise<string | undefined>;
  /**
   * Removes everything of these kinds that has the label of the job, except pods.
   * @returns how many there were
   */
  readonly remove: (job: string, kinds: readonly ManifestKind[]) => Promise<number>;
  /**
   * @param grace seconds between SIGTERM and SIGKILL, the pod's own when absent;
   * 0: without waiting for the node
   */
  readonly removePod: (name: string, grace?: number) => Promise<void>;
  /** Limits the time of a pod on its node, seconds in all. */
  readonly limit: (pod: string, seconds: number) => Promise<void>;
  /** The log of a container, from its beginning. The caller reads or destroys it. */
  readonly log: (pod: string, container: string, follow: boolean) => Promise<Readable>;
  /** The current version, from which to watch. */
  readonly version: (what: Watched) => Promise<string>;
  readonly watch: WatchObjects;
};

const CONFLICT = 409;
const FORBIDDEN = 403;
const INVALID = 422;

/**
 * Opens a namespace. Loading the client takes half a second, which only a site with such a
 * destination pays.
 *
 * @throws Error when the kubeconfig cannot be read or has no such context
 */
export async function openCluster({
  kubeconfig,
  context,
  namespace,
}: Pick<KubernetesSettings, 'kubeconfig' | 'context' | 'namespace'>): Promise<Cluster> {
  const client = await import('@kubernetes/client-node');
  const config = new client.KubeConfig();
  load(config, { kubeconfig, context });
  const [objects, batch, core] = [
    client.KubernetesObjectApi.makeApiClient(config),
    config.makeApiClient(client.BatchV1Api),
    config.makeApiClient(client.CoreV1Api),
  ];
  const labelled = (job: string): { namespace: string; labelSelector: string } => ({
    namespace,
    labelSelector: `${JOB_LABEL}=${job}`,
  });

  return {
    create: (manifest) => createIn(namespace, objects, manifest),
    allow: async (name, uid, pods) => {
      const spec = {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { name, namespace, uid },
        spec: { parallelism: pods },
      };
      await patch(objects, spec, client.PatchStrategy.MergePatch);
    },
    removeJob: async (name, uid) => {
      const body = { preconditions: { uid }, propagationPolicy: 'Background' };
      await bounded(batch.deleteNamespacedJob({ name, namespace, body })).catch(
        (error: unknown) => {
          if (!isNotFound(error) && !(error instanceof ClusterRefusal && error.status === CONFLICT))
            throw error;
        },
      );
    },
    jobs: async (job) => (await bounded(batch.listNamespacedJob(labelled(job)))).items,
    pods: async (job) => (await bounded(core.listNamespacedPod(labelled(job)))).items,
    complaint: async (name) => {
      const fieldSelector = `involvedObject.kind=Job,involvedObject.name=${name},reason=FailedCreate`;
      try {
        const { items } = await bounded(core.listNamespacedEvent({ namespace, fieldSelector }));
        const last = items.toSorted((one, other) => timeOf(other) - timeOf(one))[0];
        return last?.message;
      } catch (error) {
        if (error instanceof ClusterRefusal && error.status === FORBIDDEN) return undefined;
        throw error;
      }
    },
    remove: async (job, kinds) => {
      let removed = 0;
      for (const kind of kinds) removed += await removeKind(namespace, objects, job, kind);
      return removed;
    },
    removePod: (name, grace) =>
      removeOne(objects, { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace } }, grace),
    limit: async (pod, seconds) => {
      const spec = {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: pod, namespace },
        spec: { activeDeadlineSeconds: seconds },
      };
      await patch(objects, spec, client.PatchStrategy.StrategicMergePatch);
    },
    log: (pod, container, follow) =>
      readLog((sink) => new client.Log(config).log(namespace, pod, container, sink, { follow })),
    version: async (what) => {
      const asked = { namespace, labelSelector: JOB_LABEL, limit: 1 };
      const { metadata } = await bounded<{ metadata?: { resourceVersion?: string } }>(
        what === 'jobs' ? batch.listNamespacedJob(asked) : core.listNamespacedPod(asked),
      );
      return metadata?.resourceVersion ?? '';
    },
    watch: watchIn(namespace, () => new client.Watch(config)),
  };
}

/** @throws Error when the kubeconfig has no such context */
function load(
  config: KubeConfig,
  { kubeconfig, context }: Pick<KubernetesSettings, 'kubeconfig' | 'context'>,
): void {
  if (kubeconfig === undefined) config.loadFromCluster();
  else config.loadFromFile(kubeconfig);
  if (context !== undefined) config.setCurrentContext(context);
  if (config.getCurrentCluster() === null)
    throw new Error(
      `${kubeconfig ?? 'the service account of this pod'} names no ` +
        `cluster${context === undefined ? '' : ` for the context ${context}`}`,
    );
}

async function createIn(
  namespace: string,
  objects: KubernetesObjectApi,
  manifest: Manifest,
): Promise<string> {
  try {
    // The client's type of metadata is not readonly, though it writes to none of it.
    const made = await bounded<KubernetesObject>(objects.create(structuredClone(manifest)));
    if (made.metadata?.uid === undefined)
      throw new Error('the API server says of an object what cannot be read');
    if (isIndexed(manifest) && !isIndexed(made))
      throw new ClusterRefusal(INVALID, 'parallel jobs need Kubernetes 1.24 or later', '');
    return made.metadata.uid;
  } catch (error) {
    if (!(error instanceof ClusterRefusal) || error.reason !== ALREADY_EXISTS) throw error;
    const uid = isManifestKind(manifest.kind)
      ? await ownId(namespace, objects, manifest)
      : undefined;
    if (uid !== undefined) return uid;
    throw new ClusterRefusal(
      error.status,
      `${manifest.kind} ${manifest.metadata.name} is somebody else's`,
      ALREADY_EXISTS,
    );
  }
}

/** The id of the object that is there already, when it is the job's own. */
async function ownId(
  namespace: string,
  objects: KubernetesObjectApi,
  { apiVersion, kind, metadata: { name, labels } }: Manifest,
): Promise<string | undefined> {
  const found = await bounded<KubernetesObject>(
    objects.read({ apiVersion, kind, metadata: { name, namespace } }),
  );
  return found.metadata?.labels?.[JOB_LABEL] === labels[JOB_LABEL]
    ? found.metadata?.uid
    : undefined;
}

async function removeKind(
  namespace: string,
  objects: KubernetesObjectApi,
  job: string,
  kind: ManifestKind,
): Promise<number> {
  const apiVersion = KINDS[kind];
  const { items } = await bounded(
    objects.list<KubernetesObject>(
      apiVersion,
      kind,
      namespace,
      undefined,
      undefined,
      undefined,
      undefined,
      `${JOB_LABEL}=${job}`,
    ),
  );
  for (const { metadata } of items) {
    if (metadata?.name === undefined) continue;
    await removeOne(objects, { apiVersion, kind, metadata: { name: metadata.name, namespace } });
  }
  return items.length;
}

async function removeOne(
  objects: KubernetesObjectApi,
  spec: { apiVersion: string; kind: string; metadata: { name: string; namespace: string } },
  grace?: number,
): Promise<void> {
  await bounded(objects.delete(spec, undefined, undefined, grace, undefined, 'Background')).catch(
    (error: unknown) => {
      if (!isNotFound(error)) throw error;
    },
  );
}

async function patch(
  objects: KubernetesObjectApi,
  spec: KubernetesObject,
  strategy: PatchStrategy,
): Promise<void> {
  await bounded<KubernetesObject>(
    objects.patch(spec, undefined, undefined, undefined, undefined, strategy),
  );
}

async function readLog(begin: (sink: PassThrough) => Promise<AbortController>): Promise<Readable> {
  const sink = new PassThrough();
  // The client does not report a broken connection to its sink.
  sink.once('pipe', (source: Readable) => {
    source.once('error', (error) => sink.destroy(error));
    sink.once('close', () => source.destroy());
  });
  sink.on('error', () => undefined);
  const controller = await bounded(begin(sink));
  sink.once('close', () => controller.abort());
  return sink;
}

/** A server that does not know the key leaves it out. */
function isIndexed(object: object): boolean {
  return 'spec' in object && isRecord(object.spec) && object.spec['completionMode'] === 'Indexed';
}

/** When an event was seen last, milliseconds of the epoch. */
function timeOf({ lastTimestamp, eventTime, metadata }: CoreV1Event): number {
  return new Date(lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? 0).getTime();
}
