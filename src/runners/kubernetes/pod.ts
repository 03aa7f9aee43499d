import { posix, relative } from 'node:path';
import type { Architecture } from '../../compute/arch.ts';
import { volumeVariable } from '../../tasks/volumes.ts';
import { TASK, volumePath, WORK } from '../container/body.ts';
import type { Limits, Workload } from '../port.ts';
import { rootOf, type JobDirectory } from '../run/directory.ts';
import { volumeDirectory } from '../run/volumes.ts';
import type { KubernetesSettings, Toleration } from './settings.ts';

/** Users of a pod's processes, and of the files that they make. Never root. */
export type PodUser = { readonly uid: number; readonly gid: number };

/** Name of the pod's volume that is the claim with the directory of jobs. */
export const JOBS = 'jobs';
/** Between SIGTERM and SIGKILL, seconds. */
export const GRACE_S = 2;

/**
 * What no process of a container has; the pod security standard "restricted", and a root file
 * system that is not written to.
 */
export const CONTAINER_SECURITY = {
  allowPrivilegeEscalation: false,
  privileged: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
} as const;

/**
 * What all pods of a destination have in common, a chart's too: who they are, where they run, and
 * that they find no credentials of the cluster.
 *
 * @param architectures for which there are images; empty: for whatever the nodes have
 */
export function standingOf(
  settings: KubernetesSettings,
  { uid, gid }: PodUser,
  architectures: readonly Architecture[],
): Readonly<Record<string, unknown>> {
  const { runtimeClass, priorityClass, pullSecrets, nodeSelector, tolerations } = settings;
  return {
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: GRACE_S,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: uid,
      runAsGroup: gid,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    ...(runtimeClass === undefined ? {} : { runtimeClassName: runtimeClass }),
    ...(priorityClass === undefined ? {} : { priorityClassName: priorityClass }),
    ...(pullSecrets.length === 0
      ? {}
      : { imagePullSecrets: pullSecrets.map((name) => ({ name })) }),
    ...(Object.keys(nodeSelector).length === 0 ? {} : { nodeSelector }),
    ...(tolerations.length === 0 ? {} : { tolerations: tolerations.map(tolerationOf) }),
    ...(architectures.length === 0 ? {} : { affinity: architectureTerm(architectures) }),
  };
}

/** The pod's volume behind every directory of a job. */
export function jobsVolume({ claim }: KubernetesSettings): object {
  return { name: JOBS, persistentVolumeClaim: { claimName: claim.name } };
}

/** A file or directory of a job, and where it is in its containers. */
type Mounted = { readonly source: string; readonly target: string; readonly readOnly: boolean };

/**
 * The directories of a job in its containers, as the container runner has them. `/tmp` is one of
 * them too: in the memory of the pod it would count as memory, on the node nobody would count it.
 *
 * @param more of the runner's own
 */
export function mountsOf(
  { volumes }: Workload,
  place: JobDirectory,
  settings: KubernetesSettings,
  more: readonly Mounted[] = [],
): readonly object[] {
  const mounts: readonly Mounted[] = [
    { source: place.work, target: WORK, readOnly: false },
    { source: place.tmp, target: '/tmp', readOnly: false },
    { source: place.tmp, target: '/var/tmp', readOnly: false },
    { source: place.task, target: TASK, readOnly: true },
    ...volumes.map((volume) => ({
      source: volumeDirectory(volume, place),
      target: volumePath(volume),
      readOnly: volume.mode === 'r',
    })),
    ...more,
  ];
  // What is inside another one is mounted after it.
  return mounts
    .toSorted((one, other) => one.target.length - other.target.length)
    .map((mount) => mountOf(mount, place, settings));
}

/** Kubernetes reads `$(NAME)` in words and values; `$$` is a dollar to it. */
export function literalVariable(text: string): string {
  return text.replaceAll('$', '$$$$');
}

/**
 * The environment that every job finds; of the names that are ours
 * the client's values do not count.
 */
export function ownEnvironment({
  job,
  limits,
  volumes,
  environment,
}: Workload): Readonly<Record<string, string>> {
  return {
    ...environment,
    HOME: WORK,
    TMPDIR: '/tmp',
    PLANNER_JOB_ID: job,
    OMP_NUM_THREADS: coreCount(limits),
    ...Object.fromEntries(volumes.map((volume) => [volumeVariable(volume), volumePath(volume)])),
  };
}

/** Variables as a container has them, literally. */
export function podVariablesOf(environment: Readonly<Record<string, string>>): readonly object[] {
  return Object.entries(environment).map(([name, value]) => ({
    name,
    value: literalVariable(value),
  }));
}

function tolerationOf({ key, value, effect }: Toleration): object {
  return {
    key,
    effect,
    ...(value === undefined ? { operator: 'Exists' } : { operator: 'Equal', value }),
  };
}

function architectureTerm(architectures: readonly Architecture[]): object {
  return {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [
          {
            matchExpressions: [
              { key: 'kubernetes.io/arch', operator: 'In', values: architectures },
            ],
          },
        ],
      },
    },
  };
}

function mountOf(
  { source, target, readOnly }: Mounted,
  { root, job }: JobDirectory,
  { claim }: KubernetesSettings,
): object {
  return {
    name: JOBS,
    mountPath: target,
    subPath: posix.join(rootOf(claim.folder, job), relative(root, source)),
    readOnly,
  };
}

function coreCount({ cores }: Limits): string {
  return String(Math.max(1, Math.floor(cores / 1000)));
}
