import { mkdir } from 'node:fs/promises';
import { JobFailure } from '../../words/job-failure.ts';
import type { Workload } from '../port.ts';
import { lendTo, mustHave, type DevicePool } from '../process/start/devices.ts';
import type { JobHost } from '../process/start/host.ts';
import { beginRecord, holderOf, type Making } from '../run/draft.ts';
import { loadVolumes } from '../run/staging.ts';
import { createVolumes } from '../run/volumes.ts';
import { isPodman, type EngineApi } from './api/client.ts';
import { containerBody, imageVolumes } from './create/body.ts';
import { obtainImage } from './image.ts';
import { planContainerProgram } from './program.ts';
import type { ContainerDevice, ContainerSettings } from './settings.ts';
import { writeRequest } from './create/request.ts';
import { giveUser } from './create/user.ts';

/** What a container runner works with. */
export type ContainerEngine = {
  readonly api: EngineApi;
  readonly jobHost: JobHost;
  readonly settings: ContainerSettings;
  readonly devices: DevicePool<ContainerDevice> | undefined;
};

/**
 * Fetches everything that the container of a run needs, and writes the request to the engine down.
 *
 * @throws JobFailure, or an error of the connection to the engine
 */
export async function makeContainer(
  engine: ContainerEngine,
  workload: Workload,
  making: Making,
  signal: AbortSignal,
): Promise<void> {
  const { api, jobHost, settings } = engine;
  const { volumes } = workload;
  const { draft, place } = making;
  const record = await beginRecord(workload, making);
  mustHave(engine.devices, workload);
  const {
    image: source,
    architectures,
    program,
  } = await planContainerProgram(workload, draft, settings, jobHost.urls);
  if (program.network === 'outbound' && settings.outbound === undefined) {
    throw new JobFailure('runner-failed', 'this destination gives no network to its jobs');
  }
  const image = await obtainImage(api, source, architectures, settings, jobHost.urls, signal);
  await createVolumes(volumes, draft, place);
  const own = imageVolumes(image.volumes, volumes, place);
  for (const { source: directory } of imageVolumes(image.volumes, volumes, draft))
    await mkdir(directory, { mode: 0o700 });
  await loadVolumes(jobHost.stager, workload, draft);
  const devices = await lendTo(engine.devices, holderOf(draft), workload);
  const user = await giveUser(jobHost, settings, draft, record);
  const podman = await isPodman(api);
  const body = containerBody(workload, place, program, {
    image: image.id,
    own,
    user,
    podman,
    settings,
    devices,
  });
  await writeRequest(draft, { body, podman, names: devices.flatMap(({ cdi }) => cdi ?? []) });
}
