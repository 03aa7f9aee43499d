import { isAllowedImage, parseReference } from '../../../tasks/image.ts';
import { shown } from '../../../tasks/task.ts';
import type { UrlPolicy } from '../../../tasks/url-policy.ts';
import { WORK } from '../../container/create/mounts.ts';
import { guaranteedOf, type Workload } from '../../port.ts';
import type { JobDirectory } from '../../run/directory.ts';
import { JOB_LABEL } from '../manifests/manifest.ts';
import {
  CONTAINER_SECURITY,
  jobsVolume,
  mountsOf,
  ownEnvironment,
  standingOf,
  podVariablesOf,
  type PodUser,
} from '../manifests/pod.ts';
import { cpuQuantity, memoryQuantity } from '../manifests/quantity.ts';
import { gpuAmount } from '../manifests/job.ts';
import type { KubernetesSettings } from '../settings.ts';
import { statedAt, type ContainerShare, type PodClaim, type Stated } from './amounts.ts';
import { fieldsAt, listAt, only, refuseChart, textAt } from './checked.ts';
import { chartMounts, environmentAt, environmentFrom, volumesAt } from './volumes.ts';

/** What a chart is compared with. */
export type Terms = {
  readonly settings: KubernetesSettings;
  readonly urls: UrlPolicy;
  readonly workload: Workload;
  readonly place: JobDirectory;
  readonly user: PodUser;
  readonly release: string;
};

/** A pod template of a chart, as it was read. */
type ReadPod = {
  readonly claim: PodClaim;
  /** The template that the cluster is told. */
  readonly build: (share: ContainerShare) => object;
};

const PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe'];
const CONTAINER_KEYS = [
  'name',
  'image',
  'imagePullPolicy',
  'command',
  'args',
  'env',
  'envFrom',
  'workingDir',
  'resources',
  'volumeMounts',
  'ports',
  'securityContext',
  ...PROBES,
];
const POD_KEYS = [
  'containers',
  'initContainers',
  'volumes',
  'restartPolicy',
  'securityContext',
  'terminationGracePeriodSeconds',
  'automountServiceAccountToken',
  'enableServiceLinks',
  'serviceAccountName',
  'subdomain',
  'hostname',
  'activeDeadlineSeconds',
];
/** Rights that a chart may name: it renounces them, or every pod here gets other ones instead. */
const RIGHTS = [
  'runAsNonRoot',
  'runAsUser',
  'runAsGroup',
  'fsGroup',
  'fsGroupChangePolicy',
  'allowPrivilegeEscalation',
  'readOnlyRootFilesystem',
  'capabilities',
  'seccompProfile',
  'privileged',
];

const PROBE_KEYS = [
  'exec',
  'httpGet',
  'tcpSocket',
  'initialDelaySeconds',
  'periodSeconds',
  'timeoutSeconds',
  'successThreshold',
  'failureThreshold',
];

type ReadContainer = {
  readonly stated: Stated;
  /** @param rest what it gets of what it does not state */
  readonly build: (rest: ContainerShare['each']) => object;
};

/**
 * Reads a pod template.
 *
 * @param times how many such pods there are at once
 * @param restarts what its `restartPolicy` may be, the first of them when it says none
 * @throws JobFailure that names the place
 */
export function readPod(
  value: unknown,
  place: string,
  terms: Terms,
  {
    times,
    restarts,
  }: { readonly times: number; readonly restarts: readonly [string, ...string[]] },
): ReadPod {
  const { settings, workload, user, release } = terms;
  const template = only(value, place, ['metadata', 'spec']);
  const { labels, annotations } = only(template['metadata'], `${place}.metadata`, [
    'labels',
    'annotations',
    'name',
  ]);
  const at = `${place}.spec`;
  const spec = only(template['spec'], at, POD_KEYS);
  mayAsk(spec['securityContext'], `${at}.securityContext`);
  const { serviceAccountName: account = '' } = spec;
  if (account !== '' && account !== 'default')
    refuseChart(`${at}.serviceAccountName`, 'pods have no account of the cluster');
  if (spec['automountServiceAccountToken'] === true)
    refuseChart(`${at}.automountServiceAccountToken`, 'pods have no account of the cluster');
  const restartPolicy =
    spec['restartPolicy'] === undefined
      ? restarts[0]
      : restarts.find((known) => known === spec['restartPolicy']);
  if (restartPolicy === undefined)
    refuseChart(`${at}.restartPolicy`, `${restarts.join(' or ')} is expected`);
  const read = (key: 'containers' | 'initContainers'): readonly ReadContainer[] =>
    listAt(spec[key], `${at}.${key}`).map((container, index) =>
      readContainer(container, `${at}.${key}[${index}]`, terms),
    );
  const [containers, initContainers] = [read('containers'), read('initContainers')];
  if (containers.length === 0) refuseChart(`${at}.containers`, 'there is none');
  const volumes = volumesAt(spec['volumes'], `${at}.volumes`, release, workload.limits.scratch);
  const claim: PodClaim = {
    together: containers.map(({ stated }) => stated),
    before: initContainers.map(({ stated }) => stated),
    times,
  };
  return {
    claim,
    build: ({ each, alone }) => ({
      metadata: {
        labels: { ...fieldsAt(labels, `${place}.metadata.labels`), [JOB_LABEL]: workload.job },
        ...(annotations !== undefined && { annotations }),
      },
      spec: {
        ...(spec['subdomain'] !== undefined && { subdomain: spec['subdomain'] }),
        ...(spec['hostname'] !== undefined && { hostname: spec['hostname'] }),
        restartPolicy,
        ...standingOf(settings, user, []),
        volumes: [jobsVolume(settings), ...volumes],
        ...(initContainers.length > 0 && {
          initContainers: initContainers.map(({ build }) => build(alone(claim))),
        }),
        containers: containers.map(({ build }) => build(each)),
      },
    }),
  };
}

/** Refuses rights that no container gets. Users that the chart names are replaced. */
function mayAsk(value: unknown, place: string): void {
  const rights = only(value, place, RIGHTS);
  for (const key of ['privileged', 'allowPrivilegeEscalation'] as const)
    if (rights[key] === true) refuseChart(`${place}.${key}`, 'no container gets such rights');
  for (const key of ['runAsUser', 'runAsGroup'] as const)
    if (rights[key] === 0) refuseChart(`${place}.${key}`, 'no pod runs as root');
  if (rights['runAsNonRoot'] === false) refuseChart(`${place}.runAsNonRoot`, 'no pod runs as root');
  const { add } = only(rights['capabilities'], `${place}.capabilities`, ['add', 'drop']);
  if (listAt(add, `${place}.capabilities.add`).length > 0)
    refuseChart(`${place}.capabilities.add`, 'no container gets capabilities');
  const { type } = fieldsAt(rights['seccompProfile'], `${place}.seccompProfile`);
  if (type !== undefined && type !== 'RuntimeDefault')
    refuseChart(`${place}.seccompProfile`, 'the profile of the runtime is used');
}

function readContainer(value: unknown, place: string, terms: Terms): ReadContainer {
  const { settings, urls, workload, place: directory, release } = terms;
  const fields = only(value, place, CONTAINER_KEYS);
  const [gpu] = Object.keys(gpuAmount(workload, settings));
  const stated = statedAt(fields['resources'], `${place}.resources`, gpu);
  mayAsk(fields['securityContext'], `${place}.securityContext`);
  for (const probe of PROBES) mayProbe(fields[probe], `${place}.${probe}`);
  const image = imageAt(fields['image'], `${place}.image`, urls);
  const env = environmentAt(fields['env'], `${place}.env`, release);
  const envFrom = environmentFrom(fields['envFrom'], `${place}.envFrom`, release);
  const mounts = chartMounts(fields['volumeMounts'], `${place}.volumeMounts`);
  const ports = portsAt(fields['ports'], `${place}.ports`);
  return {
    stated,
    build: ({ cores, memory }) => {
      const { limits } = workload;
      const kept = guaranteedOf(limits);
      const rest = {
        'ephemeral-storage': memoryQuantity(limits.scratch),
        ...(gpu === undefined || stated.gpus === 0 ? {} : { [gpu]: String(stated.gpus) }),
      };
      const [c, m] = [stated.cores ?? cores, stated.memory ?? memory];
      return {
        workingDir: WORK,
        ...fields,
        image,
        // The last of two variables of a name counts.
        env: [...env, ...podVariablesOf(ownEnvironment(workload))],
        ...(envFrom.length > 0 && { envFrom }),
        ...(ports.length > 0 && { ports }),
        resources: {
          limits: { cpu: cpuQuantity(c), memory: memoryQuantity(m), ...rest },
          requests: {
            cpu: cpuQuantity((c * kept.cores) / limits.cores),
            memory: memoryQuantity((m * kept.memory) / limits.memory),
            ...rest,
          },
        },
        securityContext: CONTAINER_SECURITY,
        volumeMounts: [...mountsOf(workload, directory, settings), ...mounts],
      };
    },
  };
}

/**
 * Refuses probes that name a host: with them a node would ask anybody and not only its own pods.
 */
function mayProbe(value: unknown, place: string): void {
  const probe = only(value, place, PROBE_KEYS);
  only(probe['httpGet'], `${place}.httpGet`, ['path', 'port', 'scheme']);
  only(probe['tcpSocket'], `${place}.tcpSocket`, ['port']);
}

function imageAt(value: unknown, place: string, { registries = [] }: UrlPolicy): string {
  const text = textAt(value, place);
  const image = parseReference(text);
  if (image === undefined)
    return refuseChart(
      place,
      `'${shown(text)}' is no image with its registry, such as ghcr.io/ivoa/example:1.0`,
    );
  return isAllowedImage(image, registries)
    ? text
    : refuseChart(place, `this site takes no images from ${image.registry}/${image.repository}`);
}

function portsAt(value: unknown, place: string): readonly object[] {
  return listAt(value, place).map((port, index) =>
    only(port, `${place}[${index}]`, ['name', 'containerPort', 'protocol']),
  );
}
