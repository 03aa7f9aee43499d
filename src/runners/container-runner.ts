import { engineApi } from './container/api/client.ts';
import { containerDevices } from './container/create/devices.ts';
import { engineRunner } from './container/runner.ts';
import type { ContainerSettings } from './container/settings.ts';
import type { Runner } from './port.ts';
import { prepareHost, type LocalSettings } from './process/start/host.ts';

/**
 * The runner for containers: one adapter for everything that has the Docker Engine API (Docker,
 * Podman). The engine must see the directory of jobs under the same path.
 *
 * @throws Error when the machine or the settings do not allow it, saying what to change.
 */
export function containerRunner(local: LocalSettings, settings: ContainerSettings): Runner {
  const api = engineApi(settings.address);
  const jobHost = prepareHost(local);
  return engineRunner({
    api,
    jobHost,
    settings,
    devices: containerDevices(api, jobHost, settings),
  });
}
