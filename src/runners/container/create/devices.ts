import { isRecord } from '../../../words/record.ts';
import { JobFailure } from '../../../words/job-failure.ts';
import { devicePool, type DevicePool } from '../../process/start/devices.ts';
import type { JobHost } from '../../process/start/host.ts';
import type { EngineApi } from '../api/client.ts';
import { inspect } from '../api/inspected.ts';
import type { ContainerDevice, ContainerSettings } from '../settings.ts';

/**
 * Hands out the devices that a site names for an engine; undefined when it names none. Those of an
 * engine that is reached from anywhere are the same for executors of all hosts.
 */
export function containerDevices(
  api: EngineApi,
  { jobsRoot, host }: Pick<JobHost, 'jobsRoot' | 'host'>,
  { address, gpus }: Pick<ContainerSettings, 'address' | 'gpus'>,
): DevicePool<ContainerDevice> | undefined {
  if (Object.keys(gpus).length === 0) return undefined;
  const isHere = address.kind === 'unix';
  // When an engine is away too long its job is lost, but the container may run on.
  const keeper = {
    name: isHere ? `unix:${address.path}` : `tcp:${address.host}:${address.port}`,
    hasEnded: async (job: string) => ((await inspect(api, job))?.phase ?? 'ended') === 'ended',
  };
  return devicePool(jobsRoot, gpus, keeper, isHere ? host : keeper.name);
}

/** The fields of `HostConfig` with the devices of a job. */
export function deviceFields(devices: readonly ContainerDevice[]): object {
  const names = devices.flatMap(({ cdi }) => cdi ?? []);
  // Every device may list the files that all devices share.
  const files = [...new Set(devices.flatMap((device) => device.files))];
  return {
    // No right to make nodes (m), since the file exists.
    ...(files.length > 0 && {
      Devices: files.map((path) => ({
        PathOnHost: path,
        PathInContainer: path,
        CgroupPermissions: 'rw',
      })),
    }),
    ...(names.length > 0 && { DeviceRequests: [{ Driver: 'cdi', DeviceIDs: names }] }),
  };
}

/**
 * Makes sure that the engine has read the request for devices. An older engine leaves it out, and
 * the job would run without what it was promised.
 *
 * @param id of the container, which has not started
 * @param names in the Container Device Interface
 * @throws JobFailure
 */
export async function mustHaveDevices(
  api: EngineApi,
  id: string,
  names: readonly string[],
): Promise<void> {
  if (names.length === 0) return;
  const told = requestedOf(await api.call({ method: 'GET', path: `/containers/${id}/json` }));
  const missing = names.filter((name) => !told.includes(name));
  if (missing.length > 0)
    throw new JobFailure(
      'runner-failed',
      `the engine does not hand out devices by their CDI names (${missing.join(', ')}): it ` +
        'needs a later version, or the site names their files',
    );
}

function requestedOf(found: unknown): readonly unknown[] {
  const host = isRecord(found) && isRecord(found['HostConfig']) ? found['HostConfig'] : {};
  const requests = Array.isArray(host['DeviceRequests']) ? host['DeviceRequests'] : [];
  return requests.flatMap((request: unknown) =>
    isRecord(request) && Array.isArray(request['DeviceIDs']) ? request['DeviceIDs'] : [],
  );
}
