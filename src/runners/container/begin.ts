import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import type { Workload } from '../port.ts';
import { writeJson, writable, type JobDirectory } from '../process/directory.ts';
import type { Ground } from '../process/ground.ts';
import { loadVolumes, stagedOf } from '../process/staging.ts';
import { lendTo, type DevicePool } from '../process/devices.ts';
import { grant, JOB_PATH } from '../process/start.ts';
import { createVolumes } from '../volumes.ts';
import { isRecord } from '../../words/record.ts';
import { shown } from '../../tasks/task.ts';
import { EngineRefusal, type EngineApi } from './api.ts';
import { containerBody, imageVolumes } from './body.ts';
import { JobFailure } from '../../words/job-failure.ts';
import { mustHaveDevices } from './devices.ts';
import { obtainImage } from './image.ts';
import { containerName } from './inspected.ts';
import { planProgram } from './program.ts';
import type { ContainerDevice, ContainerSettings } from './settings.ts';

/** What a container runner works with. `devices`: undefined when the site names none. */
export type Engine = { readonly api: EngineApi; readonly ground: Ground; readonly settings: ContainerSettings; readonly devices: DevicePool<ContainerDevice> | undefined };

const run = (program: string, words: readonly string[]): Promise<void> =>
  new Promise((resolve, reject) => {
    spawn(program, words, { stdio: 'ignore', env: { PATH: JOB_PATH } }).once('error', reject)
      .once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`${program} ended with ${code}`))));
  });

/** Whoever the image makes of the job may write there: the job's directory itself is closed to all other users. */
const openToImage = async (place: JobDirectory): Promise<void> => run('chmod', ['-R', 'a+rwX', ...writable(place), place.task]);

/** The user of a container, and its directories made his. */
const giveUser = async ({ ground, settings }: Engine, place: JobDirectory, note: (uid: number) => Promise<void>): Promise<string | undefined> => {
  if (settings.user === 'image') {
    await openToImage(place);
    return undefined;
  }
  if (ground.users === undefined) return `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`;
  const uid = await ground.users.lend(place.job, note);
  if (uid === undefined) throw new JobFailure('runner-failed', 'all users that jobs can run as are lent to running jobs', true);
  await grant(place, uid);
  return `${uid}:${uid}`;
};

const isPodman = async (api: EngineApi): Promise<boolean> => {
  const version = await api.call({ method: 'GET', path: '/version' });
  const parts = isRecord(version) && Array.isArray(version['Components']) ? version['Components'] : [];
  return parts.some((part: unknown) => isRecord(part) && part['Name'] === 'Podman Engine');
};

/** An engine that does not know the key of the runtime would run the job in another one: that is looked at before it starts. */
const mustHaveRuntime = async (api: EngineApi, id: string, podman: boolean, runtime: string): Promise<void> => {
  const path = podman ? `/libpod/containers/${id}/json` : `/containers/${id}/json`;
  const found = await api.call({ method: 'GET', path });
  const host = isRecord(found) && isRecord(found['HostConfig']) ? found['HostConfig']['Runtime'] : undefined;
  const used = podman && isRecord(found) ? found['OCIRuntime'] : host;
  if (typeof used === 'string' && (used === runtime || used.endsWith(`/${runtime}`))) return;
  const hint = podman ? `: start its service with --runtime ${runtime}` : '';
  throw new JobFailure('runner-failed', `the engine would run the job with ${typeof used === 'string' ? used : 'another runtime'}, and not with ${runtime}${hint}`);
};

/** What Docker says of a file of a device that is not there, and of requests for devices that it does not know. */
const NO_DEVICE = /custom device|device driver|CDI device/i;
/** What the image has not, or may not be executed, is the task's own failure. */
const NOT_THERE = /executable file|no such file or directory|permission denied|exec format error|not a directory/i;

const start = async (api: EngineApi, id: string): Promise<void> => {
  try {
    await api.call({ method: 'POST', path: `/containers/${id}/start` });
  } catch (error) {
    if (!(error instanceof EngineRefusal)) throw error;
    throw NOT_THERE.test(error.message) && !NO_DEVICE.test(error.message)
      ? new JobFailure('task-failed', `the program could not be started in the container: ${shown(error.message)}`)
      : new JobFailure('runner-failed', `the engine could not start the container: ${shown(error.message)}`, true);
  }
};

/**
 * Fetches everything and starts the container of a job, whose directory is fresh.
 *
 * @param begun called before the container can run
 * @throws JobFailure, or an error of the connection to the engine
 */
export const begin = async (engine: Engine, workload: Workload, place: JobDirectory, signal: AbortSignal, begun: (uid: number | undefined) => Promise<void>): Promise<void> => {
  const { api, ground, settings } = engine;
  const { limits, task, volumes } = workload;
  const { image: source, architectures, program } = await planProgram(task, place, settings, ground.urls);
  if (program.network === 'outbound' && settings.outbound === undefined) {
    throw new JobFailure('runner-failed', 'this destination gives no network to its jobs');
  }
  const image = await obtainImage(api, source, architectures, settings, ground.urls, signal);
  await createVolumes(volumes, place);
  const own = imageVolumes(image.volumes, volumes, place);
  for (const { source: directory } of own) await mkdir(directory, { mode: 0o700 });
  await loadVolumes(ground.stager, workload, place);
  const staged = stagedOf(workload, place);
  const devices = await lendTo(engine.devices, workload);
  let owner: number | undefined;
  const user = await giveUser(engine, place, async (uid) => {
    owner = uid;
    await writeJson(place.record, { limits, staged, uid });
  });
  const podman = await isPodman(api);
  const body = containerBody(workload, place, program, { image: image.id, own, user, podman, settings, devices });
  const created = await api.call({ method: 'POST', path: '/containers/create', query: { name: containerName(workload.job) }, body, signal });
  const id = isRecord(created) && typeof created['Id'] === 'string' ? created['Id'] : containerName(workload.job);
  await mustHaveDevices(api, id, devices);
  if (settings.runtime !== undefined) await mustHaveRuntime(api, id, podman, settings.runtime);
  await begun(owner);
  await start(api, id);
};
