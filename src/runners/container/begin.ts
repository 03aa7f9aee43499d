import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Workload } from '../port.ts';
import { ClaimLost } from '../claim-lost.ts';
import { NotYet } from '../passing.ts';
import { readJson, writeJson, writable, type JobDirectory } from '../run/directory.ts';
import { holderOf, type Making } from '../run/draft.ts';
import type { JobHost } from '../process/start/host.ts';
import { loadVolumes, stagedOf } from '../run/staging.ts';
import { lendTo, type DevicePool } from '../process/start/devices.ts';
import { grant, JOB_PATH } from '../process/start/start.ts';
import { createVolumes } from '../run/volumes.ts';
import { isRecord } from '../../words/record.ts';
import { shown } from '../../tasks/task.ts';
import { EngineRefusal, type EngineApi } from './api.ts';
import { containerBody, imageVolumes } from './body.ts';
import { JobFailure } from '../../words/job-failure.ts';
import { mustHaveDevices } from './devices.ts';
import { obtainImage } from './image.ts';
import { containerName, inspect, TICKET_LABEL } from './inspected.ts';
import { planContainerProgram } from './program.ts';
import type { ContainerDevice, ContainerSettings } from './settings.ts';
import { endTickets, goodTicket, nextTicket, noteStart, readStart, ticketPath } from './tickets.ts';

/** What a container runner works with. `devices`: undefined when the site names none. */
export type ContainerEngine = {
  readonly api: EngineApi;
  readonly jobHost: JobHost;
  readonly settings: ContainerSettings;
  readonly devices: DevicePool<ContainerDevice> | undefined;
};

/**
 * What Docker says of a file of a device that is not there, and of requests for
 * devices that it does not know.
 */
const NO_DEVICE = /custom device|device driver|CDI device/i;
/** What the image has not, or may not be executed, is the task's own failure. */
const NOT_THERE =
  /executable file|no such file or directory|permission denied|exec format error|not a directory/i;

/**
 * Fetches everything that the container of a run needs, and writes down
 * what the engine is to be told.
 *
 * @throws JobFailure, or an error of the connection to the engine
 */
export async function makeContainer(
  engine: ContainerEngine,
  workload: Workload,
  { draft, place }: Making,
  signal: AbortSignal,
): Promise<void> {
  const { api, jobHost, settings } = engine;
  const { limits, task, volumes } = workload;
  const record = { limits, staged: stagedOf(workload, place), holder: holderOf(draft) };
  await writeJson(draft.record, record);
  for (const path of [draft.stdout, draft.stderr])
    await writeFile(path, '', { mode: 0o600, flag: 'wx' });
  const {
    image: source,
    architectures,
    program,
  } = await planContainerProgram(task, draft, settings, jobHost.urls);
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
  const user = await giveUser(engine, draft, async (uid) =>
    writeJson(draft.record, { ...record, uid }),
  );
  const podman = await isPodman(api);
  const body = containerBody(workload, place, program, {
    image: image.id,
    own,
    user,
    podman,
    settings,
    devices,
  });
  await writeJson(bodyFile(draft), {
    body,
    podman,
    names: devices.flatMap(({ cdi }) => cdi ?? []),
  });
}

/** What the engine is told, as the directory of a run keeps it. */
type Told = {
  readonly body: Readonly<Record<string, unknown>>;
  readonly podman: boolean;
  readonly names: readonly string[];
};

/**
 * Starts what is in its place. A container that was going to be started and has not
 * been is another's, who may stand still: its ticket is made bad, and with the next
 * one another container is made.
 *
 * @throws JobFailure when it cannot be started: nobody will then; ClaimLost
 */
export async function startPlaced(
  engine: ContainerEngine,
  { job, claim }: Pick<Workload, 'job' | 'claim'>,
  place: JobDirectory,
): Promise<void> {
  const { api } = engine;
  for (;;) {
    const ticket = await goodTicket(place);
    if (ticket === undefined) return;
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
    // It may have been started just before.
    if (await isBegun()) return;
    await removeUnstarted(api, id);
  }
}

/** The user of a container, and its directories made his. */
async function giveUser(
  { jobHost, settings }: ContainerEngine,
  draft: JobDirectory,
  note: (uid: number) => Promise<void>,
): Promise<string | undefined> {
  if (settings.user === 'image') {
    await openToImage(draft);
    return undefined;
  }
  if (jobHost.users === undefined) return `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`;
  const uid = await jobHost.users.lend(holderOf(draft), note);
  if (uid === undefined)
    throw new NotYet('all users that jobs can run as are lent to running jobs');
  await grant(draft, uid);
  return `${uid}:${uid}`;
}

/**
 * Whoever the image makes of the job may write there: the job's directory
 * itself is closed to all other users.
 */
async function openToImage(draft: JobDirectory): Promise<void> {
  return run('chmod', ['-R', 'a+rwX', ...writable(draft), draft.task]);
}

function run(program: string, words: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    spawn(program, words, { stdio: 'ignore', env: { PATH: JOB_PATH } })
      .once('error', reject)
      .once('exit', (code) =>
        code === 0 ? resolve() : reject(new Error(`${program} ended with ${code}`)),
      );
  });
}

async function isPodman(api: EngineApi): Promise<boolean> {
  const version = await api.call({ method: 'GET', path: '/version' });
  const parts =
    isRecord(version) && Array.isArray(version['Components']) ? version['Components'] : [];
  return parts.some((part: unknown) => isRecord(part) && part['Name'] === 'Podman Engine');
}

function bodyFile({ root }: JobDirectory): string {
  return join(root, 'create.json');
}

/**
 * Makes the container of a run that is in its place, and starts it, unless another attempt does.
 *
 * @returns false when it is to be tried again with another ticket
 */
async function startWith(
  { api, settings }: ContainerEngine,
  place: JobDirectory,
  ticket: number,
): Promise<boolean> {
  const told = await readTold(place);
  let id: string | undefined;
  try {
    const made = await create(api, told, place, ticket);
    if (typeof made === 'string') return made === 'begun';
    ({ id } = made);
    await mustHaveDevices(api, id, told.names);
    if (settings.runtime !== undefined)
      await mustHaveRuntime(api, id, told.podman, settings.runtime);
    if (!(await noteStart(place, ticket, id))) {
      if ((await readStart(place, ticket)) !== id) await removeUnstarted(api, id);
      return false;
    }
    await startContainer(api, id);
    return true;
  } catch (error) {
    if (!(error instanceof JobFailure)) throw error;
    // Whose ticket is bad by now could not start it for that reason.
    if (!(await endTickets(place, ticket))) throw new ClaimLost(place.job);
    if (id !== undefined) await removeUnstarted(api, id);
    throw error;
  }
}

async function readTold(place: JobDirectory): Promise<Told> {
  const value = await readJson(bodyFile(place));
  if (!isRecord(value) || !isRecord(value['body']))
    throw new Error(`${bodyFile(place)} cannot be read`);
  const names = Array.isArray(value['names'])
    ? value['names'].filter((name) => typeof name === 'string')
    : [];
  return { body: value['body'], podman: value['podman'] === true, names };
}

/**
 * Has the engine make the container.
 *
 * @returns its id; `begun` when the run has one that was started, `again` when it had one
 * that is no good: it is gone now
 */
async function create(
  api: EngineApi,
  told: Told,
  place: JobDirectory,
  ticket: number,
): Promise<{ readonly id: string } | 'begun' | 'again'> {
  try {
    const created = await api.call({
      method: 'POST',
      path: '/containers/create',
      query: { name: containerName(place.job) },
      body: withTicket(told, place, ticket),
    });
    if (isRecord(created) && typeof created['Id'] === 'string') return { id: created['Id'] };
    throw new Error('the engine says of a container what cannot be read');
  } catch (error) {
    // The name is taken: by one that another attempt has made, or which a
    // request made whose answer was lost.
    const seen = await inspect(api, place.job);
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
 * The directory of the task is mounted under the name that it has as long as this ticket is good.
 */
function withTicket({ body }: Told, place: JobDirectory, ticket: number): object {
  const host = isRecord(body['HostConfig']) ? body['HostConfig'] : {};
  const mounts = Array.isArray(host['Mounts']) ? host['Mounts'] : [];
  return {
    ...body,
    Labels: { ...(isRecord(body['Labels']) ? body['Labels'] : {}), [TICKET_LABEL]: String(ticket) },
    HostConfig: {
      ...host,
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
 * An engine that does not know the key of the runtime would run the job in another one: that
 * is looked at before it starts.
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
