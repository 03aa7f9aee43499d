import { setTimeout as delay } from 'node:timers/promises';
import type { Cluster, Watched } from './cluster.ts';
import { ClusterRefusal } from './refusal.ts';

type Duties = {
  readonly cluster: Pick<Cluster, 'version' | 'watch'>;
  /** something of this job changed */
  readonly onChange: (job: string) => void;
  /** anything may have changed while nobody watched */
  readonly onGap: () => void;
  /** nobody watches for the time being */
  readonly onSilence: () => void;
};

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
