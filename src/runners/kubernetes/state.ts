import type { V1ContainerStatus, V1Job, V1Pod } from '@kubernetes/client-node';
import { shown } from '../../tasks/task.ts';
import type { JobErrorCode } from '../../words/catalogue.ts';
import type { StopReason } from '../port.ts';

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

/** Why a pod does not begin; `final` when waiting will not help. */
export type Trouble = {
  readonly code: JobErrorCode;
  readonly message: string;
  readonly final: boolean;
};

/** What the cluster says of a job. Times are milliseconds of the epoch, by the cluster's clocks. */
export type SeenJob =
  | {
      readonly phase: 'waiting';
      readonly trouble: Trouble | undefined;
      /** since when a node has it; undefined: none has */ readonly placedAt: number | undefined;
      readonly madeAt: number;
    }
  | { readonly phase: 'running'; readonly startedAt: number; readonly pods: readonly RunningPod[] }
  | { readonly phase: 'ended'; readonly ending: ClusterEnding };

/** A pod with a container that has started. */
export type RunningPod = {
  readonly name: string;
  /** since when its deadline counts */ readonly placedAt: number;
  readonly startedAt: number;
};

/** What container runtimes say of an image that they will never get. */
const NO_IMAGE = new RegExp(
  'not found|manifest unknown|name unknown|no match for|unauthorized|denied|forbidden|' +
    'authentication required|insufficient_scope',
  'i',
);
const IMAGE = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'ErrImageNeverPull',
  'RegistryUnavailable',
  'ImageInspectError',
  'SignatureValidationFailed',
]);
const CONTAINER = new Set([
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
  'PreCreateHookError',
  'PostStartHookError',
]);

/** What runtimes say when the image lacks the program, or when it is no program. */
const NEVER_BEGAN = new Set(['StartError', 'ContainerCannotRun']);

/**
 * The state of a job, from its Jobs and its pods. One failed Job ends it; it completes when all of
 * them complete.
 *
 * @param jobs at least one
 */
export function stateInCluster(jobs: readonly V1Job[], pods: readonly V1Pod[]): SeenJob {
  const ends = jobs.map((job) => endOfJob(job, pods));
  const bad = ends.find((end) => end !== undefined && (end.kind !== 'exit' || end.code !== 0));
  if (bad !== undefined) return { phase: 'ended', ending: bad };
  if (ends.every((end) => end !== undefined))
    return { phase: 'ended', ending: { kind: 'exit', code: 0 } };
  const running = pods.flatMap((pod) => runningOf(pod) ?? []);
  if (running.length > 0)
    return {
      phase: 'running',
      startedAt: Math.min(...running.map(({ startedAt }) => startedAt)),
      pods: running,
    };
  const placed = pods.flatMap(({ status }) => millis(status?.startTime) ?? []);
  const made = jobs.flatMap(({ metadata }) => millis(metadata?.creationTimestamp) ?? []);
  return {
    phase: 'waiting',
    trouble: pods.map(troubleOf).find((trouble) => trouble !== undefined),
    placedAt: placed.length === 0 ? undefined : Math.min(...placed),
    madeAt: made.length === 0 ? Date.now() : Math.min(...made),
  };
}

/**
 * How a Job ended, or undefined while it has not. A pod that is tried once shows it before its Job
 * does.
 */
function endOfJob(job: V1Job, pods: readonly V1Pod[]): ClusterEnding | undefined {
  const own = pods.filter((pod) => ownerOf(pod) === job.metadata?.name).toSorted(newestFirst);
  const ends = own.flatMap((pod) => endOfPod(pod) ?? []);
  const failed = conditionOf(job, 'Failed');
  // The cluster removes the pods of a Job whose deadline has passed.
  if (failed?.reason === 'DeadlineExceeded') return { kind: 'over', reason: 'wall-time' };
  if (isSingle(job) && ends[0] !== undefined) return ends[0];
  if (conditionOf(job, 'Complete') !== undefined) return { kind: 'exit', code: 0 };
  if (failed === undefined) return undefined;
  return (
    ends.find((end) => end.kind !== 'exit' || end.code !== 0) ??
    lost(`the cluster ended the job (${shown([failed.reason, failed.message].join(': '))})`)
  );
}

function ownerOf({ metadata }: V1Pod): string | undefined {
  return metadata?.ownerReferences?.find(({ kind }) => kind === 'Job')?.name;
}

function newestFirst(one: V1Pod, other: V1Pod): number {
  return (
    (millis(other.metadata?.creationTimestamp) ?? 0) -
    (millis(one.metadata?.creationTimestamp) ?? 0)
  );
}

function millis(date: Date | undefined): number | undefined {
  return date && new Date(date).getTime();
}

/** How the pod ended, or undefined while it has not. */
function endOfPod(pod: V1Pod): ClusterEnding | undefined {
  const { phase, reason = '', message = '', ...status } = pod.status ?? {};
  const removed = removalOf(pod);
  if (removed !== undefined) return removed;
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
function removalOf({ metadata, status }: V1Pod): ClusterEnding | undefined {
  if (metadata?.deletionTimestamp === undefined || status?.phase === 'Succeeded') return undefined;
  const { reason, message } =
    status?.conditions?.find(
      ({ type, status: is }) => type === 'DisruptionTarget' && is === 'True',
    ) ?? {};
  return lost(
    'the cluster removed the pod before it had ended ' +
      `(${shown([reason, message].filter(Boolean).join(': ') || 'it does not say why')})`,
  );
}

function lost(message: string): ClusterEnding {
  return { kind: 'failed', code: 'run-lost', message, transient: true };
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

function conditionOf(
  { status }: V1Job,
  type: string,
): { readonly reason: string; readonly message: string } | undefined {
  const found = status?.conditions?.find(
    (condition) => condition.type === type && condition.status === 'True',
  );
  return found && { reason: found.reason ?? '', message: found.message ?? '' };
}

function isSingle({ spec }: V1Job): boolean {
  return spec?.backoffLimit === 0 && (spec.completions ?? 1) === 1 && (spec.parallelism ?? 1) === 1;
}

function runningOf({ metadata, status }: V1Pod): RunningPod | undefined {
  const starts = (status?.containerStatuses ?? []).flatMap(
    ({ state }) => millis(state?.running?.startedAt ?? state?.terminated?.startedAt) ?? [],
  );
  const name = metadata?.name;
  if (
    name === undefined ||
    starts.length === 0 ||
    status?.phase === 'Succeeded' ||
    status?.phase === 'Failed'
  )
    return undefined;
  const startedAt = Math.min(...starts);
  return { name, startedAt, placedAt: millis(status?.startTime) ?? startedAt };
}

function troubleOf({ status }: V1Pod): Trouble | undefined {
  for (const { state, image } of [
    ...(status?.initContainerStatuses ?? []),
    ...(status?.containerStatuses ?? []),
  ]) {
    const { reason = '', message = '' } = state?.waiting ?? {};
    const told = shown(message === '' ? reason : message);
    if (reason === 'InvalidImageName')
      return {
        code: 'fetch-failed',
        message: `the image ${image} could not be pulled: ${told}`,
        final: true,
      };
    if (IMAGE.has(reason))
      return {
        code: 'fetch-failed',
        message: `the image ${image} could not be pulled: ${told}`,
        final: NO_IMAGE.test(message),
      };
    if (CONTAINER.has(reason))
      return {
        code: 'runner-failed',
        message: `the node could not make the container: ${told}`,
        final: false,
      };
  }
  const scheduled = status?.conditions?.find(({ type }) => type === 'PodScheduled');
  return scheduled?.status === 'False'
    ? {
        code: 'queue-limit-exceeded',
        message: shown(scheduled.message ?? 'no node takes it'),
        final: false,
      }
    : undefined;
}
