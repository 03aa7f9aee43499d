import { setTimeout as delay } from 'node:timers/promises';
import type { V1Pod } from '@kubernetes/client-node';
import type { Cluster } from './cluster.ts';
import { KINDS, type ManifestKind, type Manifest } from './manifest.ts';

/**
 * The executor's lease on a job must not lapse meanwhile; one that takes longer is
 * taken up again by the next look.
 */
const PATIENCE_MS = 8000;
const SHORTEST_MS = 100;
const LONGEST_MS = 1000;

/**
 * A node that has not let go of a pod that has ended, so long after the pod
 * should have been gone, never will.
 */
const OVERDUE_MS = 3000;

/**
 * Removes everything of a job from the cluster and resolves once none of its pods is left.
 *
 * @throws Error when a node does not let go of one, or when the cluster cannot be asked
 */
export async function removeAll(
  cluster: Pick<Cluster, 'remove' | 'removePod' | 'pods'>,
  job: string,
  manifests: readonly Manifest[],
): Promise<void> {
  const kinds = kindsOf(manifests);
  const [policy, others] = [
    kinds.filter((kind) => kind === 'NetworkPolicy'),
    kinds.filter((kind) => kind !== 'NetworkPolicy'),
  ];
  await cluster.remove(job, others);
  const end = performance.now() + PATIENCE_MS;
  for (let pause = SHORTEST_MS; ; pause = Math.min(LONGEST_MS, pause * 1.5)) {
    const pods = await cluster.pods(job);
    if (pods.length === 0) break;
    if (performance.now() > end)
      throw new Error(`the cluster has not ended the pods of ${job} yet`);
    await removePods(cluster, pods);
    await delay(pause);
  }
  // A pod without its policy would have a network.
  await cluster.remove(job, policy);
}

/**
 * The kinds of what was made, in the order in which they are removed; the policy of
 * the network is the last to go.
 */
function kindsOf(manifests: readonly Manifest[]): readonly ManifestKind[] {
  const made = new Set<string>(manifests.map(({ kind }) => kind));
  // What would make the pods of a Deployment anew for as long as the cluster has not collected it.
  if (made.has('Deployment')) made.add('ReplicaSet');
  return Object.keys(KINDS)
    .filter(isKind)
    .filter((kind) => made.has(kind));
}

function isKind(text: string): text is ManifestKind {
  return text in KINDS;
}

/**
 * Pods are removed by name: the cluster's own collection of what its owner left behind has been
 * seen to take a minute. A kubelet can forget to confirm the end of a pod whose deadline came while
 * it was removed; such a pod is taken from it.
 */
async function removePods(
  cluster: Pick<Cluster, 'removePod'>,
  pods: readonly V1Pod[],
): Promise<void> {
  const now = Date.now();
  for (const pod of pods) {
    const { name, deletionTimestamp } = pod.metadata ?? {};
    if (name !== undefined && deletionTimestamp === undefined) await cluster.removePod(name);
    else if (name !== undefined && isOverdue(pod, now)) await cluster.removePod(name, 0);
  }
}

function isOverdue({ metadata, status }: V1Pod, now: number): boolean {
  const due = metadata?.deletionTimestamp;
  return (
    due !== undefined &&
    new Date(due).getTime() + OVERDUE_MS < now &&
    (status?.phase === 'Failed' || status?.phase === 'Succeeded')
  );
}
