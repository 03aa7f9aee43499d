import { posix } from 'node:path';
import type { Volume } from '../../../tasks/volumes.ts';
import type { Workload } from '../../port.ts';
import { deviceEnvironment } from '../../process/start/devices.ts';
import type { JobDirectory } from '../../run/directory.ts';
import { deviceFields } from './devices.ts';
import { CONTAINER_JOB_LABEL } from '../api/inspected.ts';
import type { ContainerDevice, ContainerSettings } from '../settings.ts';
import { jobMounts, ownVariables, TASK, volumePath, WORK, type Mounted } from './mounts.ts';
import type { ContainerTask } from '../../../tasks/task.ts';

/** What runs in the container; an undefined part is that of the image. */
export type ContainerProgram = Pick<
  ContainerTask,
  'entrypoint' | 'command' | 'environment' | 'network'
>;

const PERIOD = 100_000;
const LEAST_QUOTA = 1000;
const OPEN_FILES = 4096;

/**
 * Directories of the job in place of the volumes that an image declares; they count against its
 * scratch space. The engine would make writable ones of its own, which nobody bounds.
 */
export function imageVolumes(
  paths: readonly string[],
  volumes: readonly Volume[],
  place: JobDirectory,
): readonly Mounted[] {
  const taken = new Set([WORK, TASK, '/tmp', '/var/tmp', ...volumes.map(volumePath)]);
  return [...new Set(paths.map((path) => posix.resolve('/', path)))]
    .filter((path) => path !== '/' && !taken.has(path))
    .map((target, index) => ({
      source: posix.join(place.volumes, `.image-${index}`),
      target,
      readOnly: false,
    }));
}

/**
 * The body of "create a container": the engine is told what the offer says.
 *
 * @param image id of the image
 * @param own directories in place of the volumes that the image declares
 * @param user uid and gid, or undefined for that of the image
 * @param podman it has other names for its log drivers
 * @param devices lent to the job
 */
export function containerBody(
  workload: Workload,
  place: JobDirectory,
  program: ContainerProgram,
  {
    image,
    own,
    user,
    podman,
    settings,
    devices,
  }: {
    readonly image: string;
    readonly own: readonly Mounted[];
    readonly user: string | undefined;
    readonly podman: boolean;
    readonly settings: ContainerSettings;
    readonly devices: readonly ContainerDevice[];
  },
): object {
  const { limits, job } = workload;
  const memory = limits.memory * 2 ** 20;
  const network = program.network === 'outbound' ? (settings.outbound ?? 'none') : 'none';
  // Beyond this size an engine drops the beginning of a log. An executor stops the run before that.
  const logSize = `${Math.max(1024, limits.scratch * 4)}m`;
  return {
    Image: image,
    ...(program.entrypoint !== undefined && { Entrypoint: program.entrypoint }),
    ...(program.command !== undefined && { Cmd: program.command }),
    Env: environmentOf(workload, program, devices),
    WorkingDir: WORK,
    ...(user !== undefined && { User: user }),
    Labels: { [CONTAINER_JOB_LABEL]: job },
    Hostname: 'job',
    Healthcheck: { Test: ['NONE'] },
    Tty: false,
    OpenStdin: false,
    AttachStdin: false,
    NetworkDisabled: network === 'none',
    HostConfig: {
      NetworkMode: network,
      ReadonlyRootfs: true,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      Privileged: false,
      IpcMode: 'private',
      PidsLimit: settings.tasks,
      Memory: memory,
      MemorySwap: memory,
      ShmSize: Math.min(memory, 2 ** 30),
      // An engine refuses NanoCpus above the number of cores of its machine, which a site may count
      // differently.
      CpuPeriod: PERIOD,
      CpuQuota: Math.max(LEAST_QUOTA, (limits.cores / 1000) * PERIOD),
      Ulimits: [
        { Name: 'nofile', Soft: OPEN_FILES, Hard: OPEN_FILES },
        { Name: 'nproc', Soft: settings.tasks, Hard: settings.tasks },
        { Name: 'core', Soft: 0, Hard: 0 },
        {
          Name: 'fsize',
          Soft: (limits.scratch + 1) * 2 ** 20,
          Hard: (limits.scratch + 1) * 2 ** 20,
        },
      ],
      Mounts: jobMounts(workload, place, own).map(({ source, target, readOnly }) => ({
        Type: 'bind',
        Source: source,
        Target: target,
        ReadOnly: readOnly,
      })),
      LogConfig: {
        Type: podman ? 'k8s-file' : 'local',
        Config: podman
          ? { 'max-size': logSize }
          : { 'max-size': logSize, 'max-file': '2', compress: 'false' },
      },
      RestartPolicy: { Name: 'no' },
      ...deviceFields(devices),
      ...(settings.runtime !== undefined && { Runtime: settings.runtime }),
    },
  };
}

function environmentOf(
  workload: Workload,
  { environment }: ContainerProgram,
  devices: readonly ContainerDevice[],
): readonly string[] {
  // The client's variables come first: none of them can replace ours. The variables of devices are
  // there even without a device: images that compute on GPUs ask for all of them in a variable, and
  // the runtimes of vendors do what it says.
  return Object.entries({
    ...environment,
    ...workload.environment,
    ...deviceEnvironment(devices),
    ...ownVariables(workload),
  }).map(([name, value]) => `${name}=${value}`);
}
