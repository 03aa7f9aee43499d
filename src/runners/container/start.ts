import { shown } from '../../tasks/task.ts';
import { JobFailure } from '../../words/job-failure.ts';
import { isRecord } from '../../words/record.ts';
import { ClaimLost } from '../claim-lost.ts';
import type { Workload } from '../port.ts';
import type { JobDirectory } from '../run/directory.ts';
import { EngineRefusal, type EngineApi } from './api/client.ts';
import type { ContainerEngine } from './begin.ts';
import { mustHaveDevices } from './create/devices.ts';
import { containerName, inspect, TICKET_LABEL } from './api/inspected.ts';
import { readEnd } from './end.ts';
import { endTickets, goodTicket, nextTicket, noteStart, readStart, ticketPath } from './tickets.ts';
import { readRequest, type ContainerRequest } from './create/request.ts';

/** What Docker says of a missing device file, and of requests for devices that it does not know. */
const NO_DEVICE = /custom device|device driver|CDI device/i;
/** A program that the image lacks, or that cannot be executed, is the task's own failure. */
const NOT_THERE =
  /executable file|no such file or directory|permission denied|exec format error|not a directory/i;

/**
 * Starts what is in its place. A container that somebody noted for a start and has not started may
 * belong to an executor that stands still: its ticket is made bad, and the next ticket gets another
 * container.
 *
 * @throws JobFailure when it cannot be started, and never will be; ClaimLost
 */
export async function startPlaced(
  engine: ContainerEngine,
  { job, claim }: Pick<Workload, 'job' | 'claim'>,
  place: JobDirectory,
): Promise<void> {
  const { api } = engine;
  for (;;) {
    const ticket = await goodTicket(place);
    if (ticket === undefined || (await readEnd(place)) !== undefined) return;
    if (!(await claim.isHeld())) throw new ClaimLost(job);
    const id = await readStart(place, ticket);
    if (id === undefined) {
      if (await startWith(engine, place, ticket)) return;
      continue;
    }
    const isBegun = async (): Promise<boolean> =>
      ((await inspect(api, job))?.phase ?? 'ended') !== 'created';
    if (await isBegun()) return;
    if (!(await nextTicket(place, ticket))) continue;
    // Somebody may have started it just before.
    if (await isBegun()) return;
    await removeUnstarted(api, id);
  }
}

/**
 * Makes the container of a run that is in its place, and starts it, unless another attempt does.
 *
 * @returns false to try again with another ticket
 */
async function startWith(
  { api, settings }: ContainerEngine,
  place: JobDirectory,
  ticket: number,
): Promise<boolean> {
  const request = await readRequest(place);
  let id: string | undefined;
  try {
    const made = await create(api, request, place, ticket);
    if (typeof made === 'string') return made === 'begun';
    ({ id } = made);
    await mustHaveDevices(api, id, request.names);
    if (settings.runtime !== undefined)
      await mustHaveRuntime(api, id, request.podman, settings.runtime);
    if (!(await noteStart(place, ticket, id))) {
      if ((await readStart(place, ticket)) !== id) await removeUnstarted(api, id);
      return false;
    }
    await startContainer(api, id);
    return true;
  } catch (error) {
    if (!(error instanceof JobFailure)) throw error;
    // With a bad ticket the container could not start, whatever the error says.
    if (!(await endTickets(place, ticket))) throw new ClaimLost(place.job);
    if (id !== undefined) await removeUnstarted(api, id);
    throw error;
  }
}

/**
 * Has the engine make the container.
 *
 * @returns its id; `begun` when the run has one that was started, `again` when it had a useless
 *   one, which is now removed
 */
async function create(
  api: EngineApi,
  request: ContainerRequest,
  place: JobDirectory,
  ticket: number,
): Promise<{ readonly id: string } | 'begun' | 'again'> {
  try {
    const created = await api.call({
      method: 'POST',
      path: '/containers/create',
      query: { name: containerName(place.job) },
      body: withTicket(request, place, ticket),
    });
    if (isRecord(created) && typeof created['Id'] === 'string') return { id: created['Id'] };
    throw new Error('the engine says of a container what cannot be read');
  } catch (error) {
    // Another attempt made a container of this name, or our own request did and its answer was
    // lost.
    const seen = await inspect(api, place.job);
    if (seen === undefined && (await readEnd(place)) !== undefined) return 'begun';
    if (seen === undefined && error instanceof EngineRefusal)
      throw new JobFailure(
        'runner-failed',
        `the engine could not make the container: ${shown(error.message)}`,
        true,
      );
    if (seen === undefined) throw error;
    if (seen.phase !== 'created') return 'begun';
    if (seen.ticket === ticket) return { id: seen.id };
    await removeUnstarted(api, seen.id);
    return 'again';
  }
}

/**
 * The request with the directory of the task under the name that it has while this ticket is good.
 */
function withTicket({ body }: ContainerRequest, place: JobDirectory, ticket: number): object {
  const { HostConfig: host, Labels: labels }: Record<string, unknown> = { ...body };
  const mounts = isRecord(host) && Array.isArray(host['Mounts']) ? host['Mounts'] : [];
  return {
    ...body,
    Labels: { ...(isRecord(labels) && labels), [TICKET_LABEL]: String(ticket) },
    HostConfig: {
      ...(isRecord(host) && host),
      Mounts: mounts.map((mount: unknown) =>
        isRecord(mount) && mount['Source'] === place.task
          ? { ...mount, Source: ticketPath(place, ticket) }
          : mount,
      ),
    },
  };
}

/** Removes a container that has not started; one that runs stays. */
async function removeUnstarted(api: EngineApi, id: string): Promise<void> {
  await api
    .call({ method: 'DELETE', path: `/containers/${id}`, query: { v: '1' } })
    .catch((error: unknown) => {
      if (!(error instanceof EngineRefusal)) throw error;
    });
}

/**
 * Checks the runtime before the start: an engine that does not know the key would use another
 * runtime.
 */
async function mustHaveRuntime(
  api: EngineApi,
  id: string,
  podman: boolean,
  runtime: string,
): Promise<void> {
  const path = podman ? `/libpod/containers/${id}/json` : `/containers/${id}/json`;
  const found = await api.call({ method: 'GET', path });
  const host =
    isRecord(found) && isRecord(found['HostConfig']) ? found['HostConfig']['Runtime'] : undefined;
  const used = podman && isRecord(found) ? found['OCIRuntime'] : host;
  if (typeof used === 'string' && (used === runtime || used.endsWith(`/${runtime}`))) return;
  const hint = podman ? `: start its service with --runtime ${runtime}` : '';
  throw new JobFailure(
    'runner-failed',
    'the engine would run the job with ' +
      `${typeof used === 'string' ? used : 'another runtime'}, and not with ${runtime}${hint}`,
  );
}

async function startContainer(api: EngineApi, id: string): Promise<void> {
  try {
    await api.call({ method: 'POST', path: `/containers/${id}/start` });
  } catch (error) {
    if (!(error instanceof EngineRefusal)) throw error;
    throw NOT_THERE.test(error.message) && !NO_DEVICE.test(error.message)
      ? new JobFailure(
          'task-failed',
          `the program could not be started in the container: ${shown(error.message)}`,
        )
      : new JobFailure(
          'runner-failed',
          `the engine could not start the container: ${shown(error.message)}`,
          true,
        );
  }
}
