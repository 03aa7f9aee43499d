import { setTimeout as delay } from 'node:timers/promises';
import type { Cluster } from './cluster.ts';
import { KINDS, type Kind, type Manifest } from './manifest.ts';

const isKind = (text: string): text is Kind => text in KINDS;

/** The kinds of what was made, in the order in which they are removed; the policy of the network is the last to go. */
const kindsOf = (manifests: readonly Manifest[]): readonly Kind[] => {
  const made = new Set(manifests.map(({ kind }) => kind));
  return Object.keys(KINDS).filter(isKind).filter((kind) => made.has(kind));
};

/** The executor's lease on a job must not lapse meanwhile; one that takes longer is taken up again by the next look. */
const PATIENCE_MS = 8000;
const STEP_MS = 100;

/**
 * Removes everything of a job from the cluster and resolves once none of its pods is left.
 *
 * @throws Error when a node does not let go of one, or when the cluster cannot be asked
 */
export const removeAll = async (cluster: Pick<Cluster, 'remove' | 'pods'>, job: string, manifests: readonly Manifest[]): Promise<void> => {
  const kinds = kindsOf(manifests);
  const [policy, others] = [kinds.filter((kind) => kind === 'NetworkPolicy'), kinds.filter((kind) => kind !== 'NetworkPolicy')];
  await cluster.remove(job, others);
  for (const end = performance.now() + PATIENCE_MS; (await cluster.pods(job)).length > 0; await delay(STEP_MS)) {
    if (performance.now() > end) throw new Error(`the cluster has not ended the pods of ${job} yet`);
  }
  // A pod without its policy would have a network.
  await cluster.remove(job, policy);
};
