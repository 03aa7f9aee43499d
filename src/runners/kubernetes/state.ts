import type { V1Job, V1Pod } from '@kubernetes/client-node';
import { shown } from '../../tasks/task.ts';
import { endOfPod, endOnNode, lost, type ClusterEnding } from './pods/ending.ts';
import { endOfMachines } from './pods/machines.ts';
import { troubleOf, worstOf, type Trouble } from './pods/trouble.ts';

/** What the cluster says of a job. Times are milliseconds of the epoch, by the cluster's clocks. */
export type SeenJob =
  | {
      readonly phase: 'waiting';
      readonly trouble: Trouble | undefined;
      /** since when nodes have it; undefined: not yet */ readonly placedAt: number | undefined;
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

/**
 * The state of a job, from its Jobs and its pods. One failed Job ends it; it completes when all of
 * them complete.
 *
 * @param jobs at least one
 * @param machines how many pods a parallel job has; absent: it is none
 */
export function stateInCluster(
  jobs: readonly V1Job[],
  pods: readonly V1Pod[],
  machines?: number,
): SeenJob {
  const ends = jobs.map((job) => endOfJob(job, pods, machines !== undefined));
  const bad = ends.find((end) => end !== undefined && (end.kind !== 'exit' || end.code !== 0));
  if (bad !== undefined) return { phase: 'ended', ending: bad };
  if (ends.every((end) => end !== undefined))
    return { phase: 'ended', ending: { kind: 'exit', code: 0 } };
  const running = pods.flatMap((pod) => runningOf(pod) ?? []);
  if (running.length >= (machines ?? 1))
    return { phase: 'running', ...together(running, machines) };
  const placed = pods.flatMap(({ status }) => millis(status?.startTime) ?? []);
  const made = jobs.flatMap(({ metadata }) => millis(metadata?.creationTimestamp) ?? []);
  return {
    phase: 'waiting',
    trouble: worstOf(pods.map(troubleOf)),
    placedAt: placed.length < (machines ?? 1) ? undefined : Math.min(...placed),
    madeAt: made.length === 0 ? Date.now() : Math.min(...made),
  };
}

/**
 * How a Job ended, or undefined while it has not. A pod that is tried once shows it before its Job
 * does.
 */
function endOfJob(
  job: V1Job,
  pods: readonly V1Pod[],
  isParallel: boolean,
): ClusterEnding | undefined {
  const own = pods.filter((pod) => ownerOf(pod) === job.metadata?.name).toSorted(newestFirst);
  const ends = isParallel ? endOfMachines(own) : own.flatMap((pod) => endOfPod(pod) ?? []);
  const failed = conditionOf(job, 'Failed');
  // The cluster removes the pods of a Job whose deadline has passed.
  if (failed?.reason === 'DeadlineExceeded') return { kind: 'over', reason: 'wall-time' };
  if ((isParallel || isSingle(job)) && ends[0] !== undefined) return ends[0];
  if (conditionOf(job, 'Complete') !== undefined) return { kind: 'exit', code: 0 };
  // Pods that have not ended on their nodes yet, even if they are being removed, will say why.
  const isComing = isParallel && own.some((pod) => endOnNode(pod) === undefined);
  if (failed === undefined || isComing) return undefined;
  return (
    ends.find((end) => end.kind !== 'exit' || end.code !== 0) ??
    lost(`the cluster ended the job (${shown([failed.reason, failed.message].join(': '))})`)
  );
}

/** The command of a parallel job begins when all of its pods are there. */
function together(
  pods: readonly RunningPod[],
  machines: number | undefined,
): Pick<Extract<SeenJob, { readonly phase: 'running' }>, 'startedAt' | 'pods'> {
  const starts = pods.map(({ startedAt }) => startedAt);
  if (machines === undefined) return { startedAt: Math.min(...starts), pods };
  const startedAt = Math.max(...starts);
  return { startedAt, pods: pods.map((pod) => ({ ...pod, startedAt })) };
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
