import { chmod, chown, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { UrlPolicy } from '../../tasks/url-policy.ts';
import type { Stager } from '../../storage/stager.ts';
import type { Workload } from '../port.ts';
import { createDirectory, writable, writeJson, type JobDirectory } from '../process/directory.ts';
import { loadVolumes, stagedOf } from '../process/staging.ts';
import { createVolumes } from '../volumes.ts';
import type { Account } from './account.ts';
import { jobName } from './advance.ts';
import type { SlurmAmount, SlurmRequest } from './client.ts';
import { writeIntent } from './files.ts';
import { commandOf, environmentOf } from './program.ts';
import { batchScript, nodeDirectory, nodeScript, nodeStatus } from './script.ts';
import type { Shape, SlurmSettings } from './settings.ts';

/** What the preparation of jobs needs. */
export type Ground = {
  readonly settings: SlurmSettings;
  readonly account: Account | undefined;
  readonly urls: UrlPolicy;
  readonly stager: Stager | undefined;
};

const giveTree = async (path: string, { uid, gid }: Account): Promise<void> => {
  await chown(path, uid, gid);
  for (const entry of await readdir(path, { withFileTypes: true })) {
    const child = join(path, entry.name);
    if (entry.isDirectory()) await giveTree(child, { user: '', uid, gid });
    else await chown(child, uid, gid);
  }
};

/** The job's user passes through its directory, reads its script and task, and owns what it writes; nothing hostile ran yet. */
const grant = async (place: JobDirectory, account: Account): Promise<void> => {
  for (const path of [...writable(place), nodeDirectory(place), place.task]) await giveTree(path, account);
  for (const path of [place.stdout, place.stderr]) await chown(path, account.uid, account.gid);
  await chown(place.script, 0, account.gid);
  await chmod(place.script, 0o640);
  await chown(place.root, 0, account.gid);
  await chmod(place.root, 0o710);
};

/** What a job takes of the cluster, in Slurm's units. */
export const amountOf = ({ cores, memory, duration, gpus }: Shape, gres: SlurmSettings['gres']): SlurmAmount => ({
  // Slurm counts minutes and looks twice a minute; the script on the node keeps the seconds.
  minutes: Math.ceil(duration / 60),
  cpus: Math.ceil(cores / 1000),
  memory,
  gres: gpus === undefined ? undefined : `${gres[gpus.type] ?? 'gpu'}:${gpus.count}`,
});

const requestOf = (place: JobDirectory, { limits: { cores, memory, wallTime }, gpus, startsAt }: Workload, { gres, guarantee }: SlurmSettings): SlurmRequest => ({
  name: jobName(place.job),
  script: batchScript(place),
  directory: place.work,
  stdout: place.stdout,
  stderr: place.stderr,
  reservation: guarantee === 'reservation' ? jobName(place.job) : undefined,
  begin: startsAt === undefined ? undefined : Math.floor(startsAt / 1000),
  ...amountOf({ cores, memory, duration: wallTime, gpus }, gres),
});

/**
 * Makes everything of a job that its node will find, in a fresh directory, and writes down what Slurm is to be told last.
 *
 * @throws JobFailure
 */
export const prepareJob = async ({ settings, account, urls, stager }: Ground, workload: Workload, place: JobDirectory): Promise<SlurmRequest> => {
  const { limits, volumes } = workload;
  await createDirectory(place);
  const uid = account === undefined ? {} : { uid: account.uid };
  await writeJson(place.record, { limits, staged: stagedOf(workload, place), ...uid });
  const command = await commandOf(workload, place, settings, urls);
  const environment = { ...environmentOf(workload, place), ...(await createVolumes(volumes, place)) };
  await loadVolumes(stager, workload, place);
  await writeFile(place.script, nodeScript({ place, command, environment, limits }), { mode: 0o600, flag: 'wx' });
  await mkdir(nodeDirectory(place), { mode: 0o700 });
  for (const path of [place.stdout, place.stderr, nodeStatus(place)]) await writeFile(path, '', { mode: 0o600, flag: 'wx' });
  if (account !== undefined) await grant(place, account);
  const request = requestOf(place, workload, settings);
  await writeIntent(place, { request, since: Date.now() });
  return request;
};
