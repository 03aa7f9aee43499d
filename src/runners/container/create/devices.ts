import { isRecord } from '../../../words/record.ts';
import { JobFailure } from '../../../words/job-failure.ts';
import { devicePool, type DevicePool } from '../../process/start/devices.ts';
import type { EngineApi } from '../api/client.ts';
import { inspect } from '../api/inspected.ts';
import type { ContainerDevice, ContainerSettings } from '../settings.ts';

/**
 * Hands out the devices that a site names for an engine of this
 * machine; undefined when it names none.
 */
export function containerDevices(
  api: EngineApi,
  jobsRoot: string,
  { address, gpus }: Pick<ContainerSettings, 'address' | 'gpus'>,
): DevicePool<ContainerDevice> | undefined {
  if (Object.keys(gpus).length === 0) return undefined;
  // When an engine is away too long its job is lost, but the container may run on.
  return devicePool(jobsRoot, gpus, {
    name: address.kind === 'unix' ? `unix:${address.path}` : `tcp:${address.host}:${address.port}`,
    hasEnded: async (job) => ((await inspect(api, job))?.phase ?? 'ended') === 'ended',
  });
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
