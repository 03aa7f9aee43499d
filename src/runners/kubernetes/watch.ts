import type { Watch } from '@kubernetes/client-node';
import { setTimeout as delay } from 'node:timers/promises';
import { isRecord, textOf } from '../../words/record.ts';
import type { Cluster } from './cluster.ts';
import { JOB_LABEL } from './manifests/manifest.ts';
import { ClusterRefusal, refusalOf } from './refusal.ts';

/**
 * What happened to an object with our label. `stale`: the version from which to watch is too old.
 */
export type Happened =
  | { readonly kind: 'changed'; readonly job: string; readonly version: string }
  | { readonly kind: 'bookmark'; readonly version: string }
  | { readonly kind: 'stale' };

/** What is watched. */
export type Watched = 'jobs' | 'pods';

/** Watches until the connection ends or the signal comes. */
export type WatchObjects = (
  what: Watched,
  version: string,
  onEvent: (event: Happened) => void,
  signal: AbortSignal,
) => Promise<void>;

type Duties = {
  readonly cluster: Pick<Cluster, 'version' | 'watch'>;
  /** something of this job changed */
  readonly onChange: (job: string) => void;
  /** anything may have changed while nobody watched */
  readonly onGap: () => void;
  /** nobody watches for the time being */
  readonly onSilence: () => void;
};

/**
 * The server ends a watch after this long, and sends a bookmark two seconds before. The client
 * treats 30 s of silence as a broken connection.
 */
const WATCH_S = 25;
const GONE = 410;
const SHORTEST_MS = 200;
const LONGEST_MS = 10_000;
/** A connection that held this long was good, even if it was silent. */
const GOOD_MS = 5000;

/**
 * Watches Jobs and pods with our label. After a break it misses and repeats no event: each
 * connection begins at the version of the last event or bookmark. It never fails; while the server
 * cannot be reached it tries again, with pauses that grow up to 10 s.
 */
export function startWatch(duties: Duties): { readonly close: () => Promise<void> } {
  const abort = new AbortController();
  const watches = (['jobs', 'pods'] as const).map((what) => follow(what, duties, abort.signal));
  return {
    close: async () => {
      abort.abort();
      await Promise.all(watches);
    },
  };
}

/** Watches the objects of a namespace that have our label. */
export function watchIn(namespace: string, open: () => Watch): WatchObjects {
  return (what, version, onEvent, signal) =>
    new Promise((resolve, reject) => {
      const path = `${what === 'jobs' ? '/apis/batch/v1' : '/api/v1'}/namespaces/${namespace}/${what}`;
      const query = {
        labelSelector: JOB_LABEL,
        resourceVersion: version,
        allowWatchBookmarks: true,
        timeoutSeconds: WATCH_S,
      };
      const done = (error: unknown): void =>
        error == null || signal.aborted ? resolve() : reject(refusalOf(error));
      const heard = (type: unknown, object: unknown): void => {
        const event = readEvent(type, object);
        if (event !== undefined) onEvent(event);
      };
      open()
        .watch(path, query, heard, done)
        .then((controller) => {
          if (signal.aborted) return controller.abort();
          return signal.addEventListener('abort', () => controller.abort(), { once: true });
        }, reject);
    });
}

/**
 * Watches one kind of object until the signal comes; every connection
 * goes on where the last one ended.
 */
async function follow(
  what: Watched,
  { cluster, onChange, onGap, onSilence }: Duties,
  signal: AbortSignal,
): Promise<void> {
  let version: string | undefined;
  let pause = SHORTEST_MS;
  while (!signal.aborted) {
    const begun = performance.now();
    try {
      if (version === undefined) {
        version = await cluster.version(what);
        onGap();
      }
      let isStale = false;
      await cluster.watch(
        what,
        version,
        (event) => {
          pause = SHORTEST_MS;
          if (event.kind === 'stale') isStale = true;
          else version = event.version;
          if (event.kind === 'changed') onChange(event.job);
        },
        signal,
      );
      if (isStale) version = undefined;
    } catch (error) {
      // The server no longer has these events: everything is looked at once.
      if (error instanceof ClusterRefusal && error.status === GONE) version = undefined;
      else onSilence();
    }
    if (performance.now() - begun > GOOD_MS) pause = SHORTEST_MS;
    // A pause even after a connection that ends at once.
    await delay(pause, undefined, { signal, ref: false }).catch(() => undefined);
    pause = Math.min(LONGEST_MS, pause * 2);
  }
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
