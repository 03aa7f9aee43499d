import { setTimeout as delay } from 'node:timers/promises';
import type { V1Pod } from '@kubernetes/client-node';
import type { Cluster } from './cluster.ts';
import { KINDS, isManifestKind, type Manifest, type ManifestKind } from './manifests/manifest.ts';

/**
 * The executor's lease on a job must not lapse meanwhile; the next look continues a removal that
 * takes longer.
 */
const PATIENCE_MS = 8000;
const SHORTEST_MS = 100;
const LONGEST_MS = 1000;

/** A node that holds an ended pod this long after its deletion was due never lets go of it. */
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
  // The policy goes last: a pod without it would have a network.
  await cluster.remove(job, policy);
}

/** The kinds of the objects that were made, in the order in which they are removed. */
function kindsOf(manifests: readonly Manifest[]): readonly ManifestKind[] {
  const made = new Set<string>(manifests.map(({ kind }) => kind));
  // A ReplicaSet makes new pods until the cluster collects it.
  if (made.has('Deployment')) made.add('ReplicaSet');
  return Object.keys(KINDS)
    .filter(isManifestKind)
    .filter((kind) => made.has(kind));
}

/**
 * Removes pods by name: the cluster's own garbage collection took up to a minute. A kubelet can
 * forget to confirm the end of a pod whose deadline came during its removal; such a pod is removed
 * without it.
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
