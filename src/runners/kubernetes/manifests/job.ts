import { pullReference, type RegistryImage } from '../../../tasks/image.ts';
import { WORK } from '../../container/create/mounts.ts';
import { guaranteedOf, type Limits, type Workload } from '../../port.ts';
import type { JobDirectory } from '../../run/directory.ts';
import { podForm } from '../machines/form.ts';
import { JOB_LABEL, objectName, type Manifest } from './manifest.ts';
import {
  CONTAINER_SECURITY,
  jobsVolume,
  literalVariable,
  mountsOf,
  ownEnvironment,
  standingOf,
  podVariablesOf,
  type PodUser,
} from './pod.ts';
import { cpuQuantity, memoryQuantity } from './quantity.ts';
import type { KubernetesSettings } from '../settings.ts';
import type { ContainerTask } from '../../../tasks/task.ts';

/** What runs in the container of a task; an undefined part is that of the image. */
export type PodProgram = Pick<
  ContainerTask,
  'architectures' | 'entrypoint' | 'command' | 'environment'
> & {
  readonly image: RegistryImage;
  readonly outbound: boolean;
  /**
   * `files`: a shell of the image writes both streams to files; `log`: the
   * cluster's log has them, as one
   */
  readonly output: 'files' | 'log';
  /** how many pods of a parallel job run it; absent: it runs in one */
  readonly machines?: number;
};

/** Name of the container of a task. */
export const CONTAINER = 'task';
const STDOUT = '/planner/stdout';
const STDERR = '/planner/stderr';
/** The cluster removes a Job that nobody came back for. */
const FORGOTTEN_S = 7 * 24 * 3600;
const SPARE_S = 60;

/** `NAME: quantity` of a job's graphics processors; empty for none. */
export function gpuAmount(
  { gpus }: Pick<Workload, 'gpus'>,
  settings: KubernetesSettings,
): Readonly<Record<string, string>> {
  return gpus === undefined
    ? {}
    : { [settings.gpus[gpus.type] ?? 'nvidia.com/gpu']: String(gpus.count) };
}

/**
 * Seconds for which a pod may be on its node: the time to pull the image and the offered duration.
 * Once the run has begun, the deadline is brought down to the offered duration.
 */
export function podDeadline({ wallTime }: Limits, { pullLimit }: KubernetesSettings): number {
  return Math.ceil(wallTime) + pullLimit;
}

/** Seconds after which the cluster ends a Job, whatever became of the executor. */
export function jobDeadline(limits: Limits, settings: KubernetesSettings): number {
  return settings.longestWait + podDeadline(limits, settings) + SPARE_S;
}

/** The limits of every Job, those of charts included. */
export function jobTerms(
  limits: Limits,
  settings: KubernetesSettings,
): { readonly activeDeadlineSeconds: number; readonly ttlSecondsAfterFinished: number } {
  return {
    activeDeadlineSeconds: jobDeadline(limits, settings),
    ttlSecondsAfterFinished: FORGOTTEN_S,
  };
}

/**
 * The Job of a task: one pod that is tried once, with the amounts of the offer; or as many pods as a
 * parallel job has machines, numbered, of which none is tried again.
 */
export function jobManifest(
  workload: Workload,
  place: JobDirectory,
  program: PodProgram,
  settings: KubernetesSettings,
  user: PodUser,
): Manifest {
  const { job, limits } = workload;
  const form = podForm(program.machines, place);
  // The first pods of a parallel job wait for nodes for the others.
  const wait = program.machines === undefined ? 0 : settings.longestWait;
  const labels = { [JOB_LABEL]: job };
  const files =
    program.output === 'files'
      ? [
          { source: place.stdout, target: STDOUT, readOnly: false },
          { source: place.stderr, target: STDERR, readOnly: false },
        ]
      : [];
  const container = {
    name: CONTAINER,
    image: pullReference(program.image),
    imagePullPolicy:
      settings.pull === 'always' && program.image.digest === undefined ? 'Always' : 'IfNotPresent',
    ...commandOf(program),
    env: podVariablesOf({ ...program.environment, ...ownEnvironment(workload) }),
    workingDir: WORK,
    resources: amountsOf(workload, settings),
    securityContext: CONTAINER_SECURITY,
    volumeMounts: [
      ...mountsOf(workload, place, settings, [...files, ...form.files]),
      ...form.mounts,
    ],
  };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: objectName(job), namespace: settings.namespace, labels },
    spec: {
      ...jobTerms(limits, settings),
      backoffLimit: 0,
      ...form.job,
      template: {
        metadata: { labels },
        spec: {
          ...standingOf(settings, user, program.architectures),
          ...form.pod,
          activeDeadlineSeconds: podDeadline(limits, settings) + wait,
          restartPolicy: 'Never',
          volumes: [jobsVolume(settings), ...form.volumes],
          containers: [container],
        },
      },
    },
  };
}

/**
 * The command of a container. With `files` it is one line of shell, which contains no word of the
 * client.
 */
function commandOf({ entrypoint, command, output }: PodProgram): {
  readonly command?: readonly string[];
  readonly args?: readonly string[];
} {
  if (output === 'files')
    return {
      command: ['/bin/sh', '-c', `exec "$@" >>${STDOUT} 2>>${STDERR}`, 'sh'].map(literalVariable),
      args: [...(words(entrypoint) ?? []), ...(words(command) ?? [])],
    };
  const [start, rest] = [words(entrypoint), words(command)];
  return {
    ...(start !== undefined && { command: start }),
    ...(rest !== undefined && { args: rest }),
  };
}

function words(list: readonly string[] | undefined): readonly string[] | undefined {
  return list?.map(literalVariable);
}

/**
 * The offered amounts for the cluster: the job's minimum is its request, which a node keeps for it,
 * and the whole is its limit.
 */
function amountsOf(workload: Workload, settings: KubernetesSettings): object {
  const { limits, allocation } = workload;
  const { cores, memory } = guaranteedOf(limits);
  // The limits are those of all machines together, which are alike.
  const machines = allocation?.length ?? 1;
  const rest = {
    'ephemeral-storage': memoryQuantity(limits.scratch / machines),
    ...gpuAmount({ gpus: allocation === undefined ? workload.gpus : allocation[0].gpus }, settings),
  };
  const quantities = (cpu: number, memory: number): object => ({
    cpu: cpuQuantity(cpu / machines),
    memory: memoryQuantity(memory / machines),
    ...rest,
  });
  return { limits: quantities(limits.cores, limits.memory), requests: quantities(cores, memory) };
}
