import type { CoreV1Event, KubernetesObject, V1Job, V1Pod } from '@kubernetes/client-node';
import { PassThrough, type Readable } from 'node:stream';
import { isRecord, textOf } from '../../words/record.ts';
import { ALREADY_EXISTS, ClusterRefusal } from './refusal.ts';
import {
  JOB_LABEL,
  KINDS,
  isManifestKind,
  type Manifest,
  type ManifestKind,
} from './manifests/manifest.ts';
import type { KubernetesSettings } from './settings.ts';

/**
 * What happened to an object with our label. `stale`: the version from which to watch is too old.
 */
export type Happened =
  | { readonly kind: 'changed'; readonly job: string; readonly version: string }
  | { readonly kind: 'bookmark'; readonly version: string }
  | { readonly kind: 'stale' };

/** What is watched. */
export type Watched = 'jobs' | 'pods';

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
  /** Watches until the connection ends or the signal comes. */
  readonly watch: (
    what: Watched,
    version: string,
    onEvent: (event: Happened) => void,
    signal: AbortSignal,
  ) => Promise<void>;
};

const PATIENCE_MS = 20_000;
/**
 * The server ends a watch after this long, and sends a bookmark two seconds before. The client
 * treats 30 s of silence as a broken connection.
 */
const WATCH_S = 25;
const MISSING = 404;
const CONFLICT = 409;
const GONE = 410;
const FORBIDDEN = 403;
const INVALID = 422;

type Said = { readonly message: string; readonly reason: string };

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
  const { BatchV1Api, CoreV1Api, KubeConfig, KubernetesObjectApi, Log, PatchStrategy, Watch } =
    await import('@kubernetes/client-node');
  const config = new KubeConfig();
  if (kubeconfig === undefined) config.loadFromCluster();
  else config.loadFromFile(kubeconfig);
  if (context !== undefined) config.setCurrentContext(context);
  if (config.getCurrentCluster() === null)
    throw new Error(
      `${kubeconfig ?? 'the service account of this pod'} names no ` +
        `cluster${context === undefined ? '' : ` for the context ${context}`}`,
    );
  const [objects, batch, core] = [
    KubernetesObjectApi.makeApiClient(config),
    config.makeApiClient(BatchV1Api),
    config.makeApiClient(CoreV1Api),
  ];
  const labelled = (job: string): { namespace: string; labelSelector: string } => ({
    namespace,
    labelSelector: `${JOB_LABEL}=${job}`,
  });

  /** The id of the object that is there already, when it is the job's own. */
  const ours = async ({
    apiVersion,
    kind,
    metadata: { name, labels },
  }: Manifest): Promise<string | undefined> => {
    const found = await bounded<KubernetesObject>(
      objects.read({ apiVersion, kind, metadata: { name, namespace } }),
    );
    return found.metadata?.labels?.[JOB_LABEL] === labels[JOB_LABEL]
      ? found.metadata?.uid
      : undefined;
  };

  const removeOne = async (
    spec: { apiVersion: string; kind: string; metadata: { name: string; namespace: string } },
    grace?: number,
  ): Promise<void> => {
    await bounded(objects.delete(spec, undefined, undefined, grace, undefined, 'Background')).catch(
      (error: unknown) => {
        if (!isMissing(error)) throw error;
      },
    );
  };

  const removeKind = async (job: string, kind: ManifestKind): Promise<number> => {
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
      await removeOne({ apiVersion, kind, metadata: { name: metadata.name, namespace } });
    }
    return items.length;
  };

  return {
    create: async (manifest) => {
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
        const uid = isManifestKind(manifest.kind) ? await ours(manifest) : undefined;
        if (uid !== undefined) return uid;
        throw new ClusterRefusal(
          error.status,
          `${manifest.kind} ${manifest.metadata.name} is somebody else's`,
          ALREADY_EXISTS,
        );
      }
    },
    allow: async (name, uid, pods) => {
      const spec = {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { name, namespace, uid },
        spec: { parallelism: pods },
      };
      await bounded<KubernetesObject>(
        objects.patch(spec, undefined, undefined, undefined, undefined, PatchStrategy.MergePatch),
      );
    },
    removeJob: async (name, uid) => {
      const body = { preconditions: { uid }, propagationPolicy: 'Background' };
      await bounded(batch.deleteNamespacedJob({ name, namespace, body })).catch(
        (error: unknown) => {
          if (!isMissing(error) && !(error instanceof ClusterRefusal && error.status === CONFLICT))
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
      for (const kind of kinds) removed += await removeKind(job, kind);
      return removed;
    },
    removePod: (name, grace) =>
      removeOne({ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace } }, grace),
    limit: async (pod, seconds) => {
      const spec = {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: pod, namespace },
        spec: { activeDeadlineSeconds: seconds },
      };
      await bounded<KubernetesObject>(
        objects.patch(
          spec,
          undefined,
          undefined,
          undefined,
          undefined,
          PatchStrategy.StrategicMergePatch,
        ),
      );
    },
    log: async (pod, container, follow) => {
      const sink = new PassThrough();
      // The client does not report a broken connection to its sink.
      sink.once('pipe', (source: Readable) => {
        source.once('error', (error) => sink.destroy(error));
        sink.once('close', () => source.destroy());
      });
      sink.on('error', () => undefined);
      const controller = await bounded(
        new Log(config).log(namespace, pod, container, sink, { follow }),
      );
      sink.once('close', () => controller.abort());
      return sink;
    },
    version: async (what) => {
      const asked = { namespace, labelSelector: JOB_LABEL, limit: 1 };
      const { metadata } = await bounded<{ metadata?: { resourceVersion?: string } }>(
        what === 'jobs' ? batch.listNamespacedJob(asked) : core.listNamespacedPod(asked),
      );
      return metadata?.resourceVersion ?? '';
    },
    watch: (what, version, onEvent, signal) =>
      new Promise((resolve, reject) => {
        const path = `${what === 'jobs' ? '/apis/batch/v1' : '/api/v1'}/namespaces/${namespace}/${what}`;
        const query = {
          labelSelector: JOB_LABEL,
          resourceVersion: version,
          allowWatchBookmarks: true,
          timeoutSeconds: WATCH_S,
        };
        const watch = new Watch(config);
        const done = (error: unknown): void =>
          error == null || signal.aborted ? resolve() : reject(refusalOf(error));
        const heard = (type: unknown, object: unknown): void => {
          const event = readEvent(type, object);
          if (event !== undefined) onEvent(event);
        };
        watch.watch(path, query, heard, done).then((controller) => {
          if (signal.aborted) return controller.abort();
          return signal.addEventListener('abort', () => controller.abort(), { once: true });
        }, reject);
      }),
  };
}

/** A server that does not know the key leaves it out. */
function isIndexed(object: object): boolean {
  return 'spec' in object && isRecord(object.spec) && object.spec['completionMode'] === 'Indexed';
}

/** Waits 20 s at the most, and translates the client's errors. */
async function bounded<Value>(call: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new Error(`the API server did not answer within ${PATIENCE_MS / 1000} s`)),
      PATIENCE_MS,
    );
  });
  try {
    return await Promise.race([call, late]);
  } catch (error) {
    throw refusalOf(error);
  } finally {
    clearTimeout(timer);
  }
}

/** Our error for one of the client, whose message repeats the whole answer with its headers. */
function refusalOf(error: unknown): unknown {
  const status = statusOf(error);
  if (status === undefined) return error;
  const { message, reason } = saidIn(isRecord(error) ? error['body'] : undefined);
  return new ClusterRefusal(status, message || `the API server answered ${status}`, reason);
}

function statusOf(error: unknown): number | undefined {
  if (!isRecord(error)) return undefined;
  const status = error['code'] ?? error['statusCode'];
  return typeof status === 'number' ? status : undefined;
}

/** What an answer of the API server says; the client gives it as an object or as text. */
function saidIn(body: unknown): Said {
  if (typeof body === 'string') {
    try {
      return saidIn(JSON.parse(body));
    } catch {
      return { message: body, reason: '' };
    }
  }
  return isRecord(body)
    ? { message: textOf(body['message']), reason: textOf(body['reason']) }
    : { message: '', reason: '' };
}

function isMissing(error: unknown): boolean {
  return error instanceof ClusterRefusal && error.status === MISSING;
}

/** When an event was seen last, milliseconds of the epoch. */
function timeOf({ lastTimestamp, eventTime, metadata }: CoreV1Event): number {
  return new Date(lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? 0).getTime();
}

/** The part of a watch event that we need; undefined for other events. */
function readEvent(type: unknown, object: unknown): Happened | undefined {
  if (!isRecord(object)) return undefined;
  if (type === 'ERROR') return object['code'] === GONE ? { kind: 'stale' } : undefined;
  const metadata = isRecord(object['metadata']) ? object['metadata'] : {};
  const version = textOf(metadata['resourceVersion']);
  if (type === 'BOOKMARK') return { kind: 'bookmark', version };
  const job = isRecord(metadata['labels']) ? textOf(metadata['labels'][JOB_LABEL]) : '';
  return { kind: 'changed', job, version };
}
