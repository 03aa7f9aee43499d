import { posix, relative } from 'node:path';
import type { Architecture } from '../../../compute/arch.ts';
import { jobMounts, ownVariables, type Mounted } from '../../container/create/mounts.ts';
import type { Workload } from '../../port.ts';
import { rootOf, type JobDirectory } from '../../run/directory.ts';
import type { KubernetesSettings, Toleration } from '../settings.ts';

/** The user and group of a pod's processes and of their files. Never root. */
export type PodUser = { readonly uid: number; readonly gid: number };

/** Name of the pod's volume with the directory of jobs. */
export const JOBS = 'jobs';
/** Between SIGTERM and SIGKILL, seconds. */
const GRACE_S = 2;

/** The pod security standard "restricted", and a read-only root file system. */
export const CONTAINER_SECURITY = {
  allowPrivilegeEscalation: false,
  privileged: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
} as const;

/**
 * What all pods of a destination have in common, those of charts included: their user, where they
 * run, and that they get no credentials of the cluster.
 *
 * @param architectures of the image; empty: any
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
    ...(runtimeClass !== undefined && { runtimeClassName: runtimeClass }),
    ...(priorityClass !== undefined && { priorityClassName: priorityClass }),
    ...(pullSecrets.length > 0 && { imagePullSecrets: pullSecrets.map((name) => ({ name })) }),
    ...(Object.keys(nodeSelector).length > 0 && { nodeSelector }),
    ...(tolerations.length > 0 && { tolerations: tolerations.map(tolerationOf) }),
    ...(architectures.length > 0 && { affinity: architectureTerm(architectures) }),
  };
}

/** The pod's volume behind every directory of a job. */
export function jobsVolume({ claim }: KubernetesSettings): object {
  return { name: JOBS, persistentVolumeClaim: { claimName: claim.name } };
}

/**
 * The directories of a job in its containers, as the container runner has them. Kubernetes would
 * count a `/tmp` in the memory of the pod as memory, and nobody would count one on the node.
 *
 * @param more of the runner's own
 */
export function mountsOf(
  workload: Workload,
  place: JobDirectory,
  settings: KubernetesSettings,
  more: readonly Mounted[] = [],
): readonly object[] {
  return jobMounts(workload, place, more).map((mount) => mountOf(mount, place, settings));
}

/** Kubernetes reads `$(NAME)` in words and values; `$$` is a dollar to it. */
export function literalVariable(text: string): string {
  return text.replaceAll('$', '$$$$');
}

/** The environment that every job finds; the client's values of these names do not count. */
export function ownEnvironment(workload: Workload): Readonly<Record<string, string>> {
  return { ...workload.environment, ...ownVariables(workload) };
}

/** Variables of a container, with literal values. */
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
