import type { V1Pod } from '@kubernetes/client-node';
import { endOnNode, isDisrupted, removalOf, type ClusterEnding } from './ending.ts';

/** Where the cluster writes the number of a machine of a parallel job. */
export const INDEX = 'batch.kubernetes.io/job-completion-index';

/**
 * After the command the other machines end by themselves. A machine that was killed may be the
 * reason why the command failed, and its node may tell a little later.
 */
const LAST_WORDS_MS = 5000;

/**
 * How a parallel job ended: the reason first, empty while it has not. A machine that was killed or
 * lost counts more than the exit code of the command, and that more than the removals which the
 * cluster does when one pod failed.
 */
export function endOfMachines(pods: readonly V1Pod[]): readonly ClusterEnding[] {
  const ends = pods.map((pod) => ({ pod, end: endOnNode(pod), removal: removalOf(pod) }));
  const killed = ends.find(
    ({ end, removal }) => end?.kind === 'over' || (end?.kind === 'failed' && !removal),
  );
  if (killed?.end !== undefined) return [killed.end];
  const told = ends.filter(({ end, removal }) => end !== undefined && removal === undefined);
  const command = told.find(({ pod }) => isFirst(pod));
  if (command?.end !== undefined) {
    const isGood = command.end.kind === 'exit' && command.end.code === 0;
    // A command fails because the node of another machine was drained.
    const drained = ends.find(({ pod, removal }) => removal !== undefined && isDisrupted(pod));
    if (!isGood && drained?.removal !== undefined) return [drained.removal];
    const isLast = ends.every(({ end }) => end !== undefined) || isLongAgo(command.pod);
    return isGood || isLast ? [command.end] : [];
  }
  const failed = told.find(({ end }) => end?.kind === 'exit' && end.code !== 0);
  const removed = ends.find(({ removal }) => removal !== undefined);
  return [failed?.end ?? removed?.removal].filter((end) => end !== undefined);
}

function isFirst({ metadata }: V1Pod): boolean {
  return metadata?.annotations?.[INDEX] === '0';
}

function isLongAgo({ status }: V1Pod): boolean {
  const at = status?.containerStatuses?.[0]?.state?.terminated?.finishedAt;
  return at === undefined || Date.now() - new Date(at).getTime() > LAST_WORDS_MS;
}
