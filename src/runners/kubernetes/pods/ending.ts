import type { V1ContainerStatus, V1Pod, V1PodCondition } from '@kubernetes/client-node';
import { shown } from '../../../tasks/task.ts';
import type { JobErrorCode } from '../../../words/catalogue.ts';
import type { StopReason } from '../../port.ts';

/** How a run ended, from what the cluster says. */
export type ClusterEnding =
  | { readonly kind: 'exit'; readonly code: number }
  | { readonly kind: 'over'; readonly reason: StopReason }
  | {
      readonly kind: 'failed';
      readonly code: JobErrorCode;
      readonly message: string;
      readonly transient: boolean;
    };

/** What runtimes say when the image lacks the program, or when it is no program. */
const NEVER_BEGAN = new Set(['StartError', 'ContainerCannotRun']);

/** How the pod ended, or undefined while it has not. */
export function endOfPod(pod: V1Pod): ClusterEnding | undefined {
  return removalOf(pod) ?? endOnNode(pod);
}

/** The end of a run that the cluster has lost. */
export function lost(message: string): ClusterEnding {
  return { kind: 'failed', code: 'run-lost', message, transient: true };
}

/** How the pod ended on its node, whatever removed it. */
export function endOnNode(pod: V1Pod): ClusterEnding | undefined {
  const { phase, reason = '', message = '', ...status } = pod.status ?? {};
  if (phase !== 'Succeeded' && phase !== 'Failed') return undefined;
  if (reason === 'DeadlineExceeded') return { kind: 'over', reason: 'wall-time' };
  if (reason === 'Evicted' && /ephemeral|emptydir/i.test(message))
    return { kind: 'over', reason: 'output' };
  const ends = [
    ...(status.initContainerStatuses ?? []),
    ...(status.containerStatuses ?? []),
  ].flatMap((container) => endOfContainer(container) ?? []);
  // The first container that failed made the pod fail.
  const worst = ends.find((end) => end.kind !== 'exit' || end.code !== 0);
  if (reason === '' && worst !== undefined) return worst;
  if (phase === 'Succeeded') return { kind: 'exit', code: 0 };
  const told = [reason, message].filter((text) => text !== '').join(': ');
  return lost(`the cluster ended the pod (${shown(told || 'it does not say why')})`);
}

/**
 * Why a pod that is being deleted ended: a node is drained, a more important pod needs its place,
 * or somebody removed it. The exit code of its containers only shows the signal.
 */
export function removalOf({ metadata, status }: V1Pod): ClusterEnding | undefined {
  if (metadata?.deletionTimestamp === undefined || status?.phase === 'Succeeded') return undefined;
  const { reason, message } = disruptionOf(status) ?? {};
  return lost(
    'the cluster removed the pod before it had ended ' +
      `(${shown([reason, message].filter(Boolean).join(': ') || 'it does not say why')})`,
  );
}

/** Did the cluster want it away, for a drained node or a more important pod, and not its Job? */
export function isDisrupted({ status }: V1Pod): boolean {
  return disruptionOf(status) !== undefined;
}

function disruptionOf(status: V1Pod['status']): V1PodCondition | undefined {
  return status?.conditions?.find(
    ({ type, status: is }) => type === 'DisruptionTarget' && is === 'True',
  );
}

function endOfContainer({ state }: V1ContainerStatus): ClusterEnding | undefined {
  const ended = state?.terminated;
  if (ended === undefined) return undefined;
  const { exitCode, reason = '', message = '' } = ended;
  if (reason === 'OOMKilled') return { kind: 'over', reason: 'memory' };
  if (NEVER_BEGAN.has(reason))
    return {
      kind: 'failed',
      code: 'task-failed',
      message: `the program could not be started in the container: ${shown(message)}`,
      transient: false,
    };
  return { kind: 'exit', code: exitCode };
}
