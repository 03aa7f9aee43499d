import { existsSync } from 'node:fs';
import type { Limits, Outcome } from '../port.ts';
import type { JobDirectory } from '../run/directory.ts';
import { readOutcome } from '../run/outcome.ts';
import { readRecord } from '../run/record.ts';
import type { Cluster } from './cluster.ts';
import { readEnded, readIntent, wasSent, type ClusterIntent } from './files.ts';
import type { JobSighting } from './follow.ts';
import { troubleWithPods } from './refused-pod.ts';
import type { KubernetesSettings } from './settings.ts';
import type { ClusterEnding } from './pods/ending.ts';
import { worstOf } from './pods/trouble.ts';
import { stateInCluster } from './state.ts';
import { judgeWaiting } from './waiting-limits.ts';

/** A job whose objects are written down. */
export type MadeJob = { readonly intent: ClusterIntent; readonly limits: Limits };

/** What is to be done about a job, from its directory and what the cluster has of it. */
type NextStep =
  | { readonly kind: 'nothing'; readonly outcome: Outcome | undefined }
  | { readonly kind: 'send'; readonly made: MadeJob }
  | { readonly kind: 'follow'; readonly made: MadeJob; readonly seen: JobSighting }
  /** `ending`: undefined when it is written down already */
  | { readonly kind: 'settle'; readonly made: MadeJob; readonly ending: ClusterEnding | undefined };

/** A Job without its pods after so long, by the cluster's whole seconds, is asked for the reason. */
const PODS_COME_MS = 3000;

/** The end of a job that somebody removed from the cluster. */
export const REMOVED: ClusterEnding = {
  kind: 'failed',
  code: 'run-lost',
  message: 'somebody removed the job from the cluster, and how the run ended is not known',
  transient: true,
};

/** Undefined when the job never came so far. */
export async function readMade(place: JobDirectory): Promise<MadeJob | undefined> {
  const [intent, record] = [await readIntent(place), await readRecord(place)];
  return intent && record && { intent, limits: record.limits };
}

/** @throws ClusterRefusal, or an error of the connection */
export async function nextStep(
  cluster: Pick<Cluster, 'jobs' | 'pods' | 'complaint'>,
  place: JobDirectory,
  settings: Pick<KubernetesSettings, 'longestWait' | 'pullLimit'>,
): Promise<NextStep> {
  const outcome = await readOutcome(place);
  const made = outcome === undefined ? await readMade(place) : undefined;
  if (made === undefined) return { kind: 'nothing', outcome };
  // Somebody began to close its books.
  if (existsSync(place.stopped) || (await readEnded(place)) !== undefined)
    return { kind: 'settle', made, ending: undefined };
  // Before the cluster is asked: another executor may send it meanwhile, and its Jobs would count as
  // removed.
  if (!wasSent(place)) return { kind: 'send', made };
  const [jobs, pods] = await Promise.all([cluster.jobs(place.job), cluster.pods(place.job)]);
  const names = jobs.flatMap(({ metadata }) => metadata?.name ?? []);
  const isMissing = made.intent.manifests.some(
    ({ kind, metadata }) => kind === 'Job' && !names.includes(metadata.name),
  );
  if (isMissing) return { kind: 'settle', made, ending: REMOVED };
  const { machines } = made.intent;
  const seen = stateInCluster(jobs, pods, machines);
  if (seen.phase === 'ended') return { kind: 'settle', made, ending: seen.ending };
  const lacksPods =
    seen.phase === 'waiting' &&
    pods.length < (machines ?? 1) &&
    Date.now() - seen.madeAt > PODS_COME_MS;
  const told = lacksPods
    ? { ...seen, trouble: worstOf([await troubleWithPods(cluster, names), seen.trouble]) }
    : seen;
  return { kind: 'follow', made, seen: await judgeWaiting(place, made.intent, told, settings) };
}
