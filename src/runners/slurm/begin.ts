import { chmod, chown, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { UrlPolicy } from '../../tasks/url-policy.ts';
import type { Stager } from '../../storage/stager.ts';
import type { JobShape, Workload } from '../port.ts';
import { writable, type JobDirectory } from '../run/directory.ts';
import { beginRecord, prepareOnce, type Making } from '../run/draft.ts';
import { loadVolumes } from '../run/staging.ts';
import { createVolumes } from '../run/volumes.ts';
import type { Account } from './account.ts';
import { jobName } from './advance.ts';
import type { SlurmAmount, SlurmRequest } from './client.ts';
import { writeSlurmIntent } from './files.ts';
import { commandOf, environmentOf } from './program.ts';
import { batchScript, nodeDirectory, nodeScript, nodeStatus } from './script.ts';
import type { SlurmSettings } from './settings.ts';

/** What the preparation of jobs needs. */
export type SlurmHost = {
  readonly settings: SlurmSettings;
  readonly account: Account | undefined;
  readonly urls: UrlPolicy;
  readonly stager: Stager | undefined;
};

/** The amounts of a job in Slurm's units. */
export function slurmAmountOf(
  { cores, memory, duration, gpus }: JobShape,
  gres: SlurmSettings['gres'],
): SlurmAmount {
  return {
    // Slurm counts minutes and checks twice a minute; the script on the node enforces the seconds.
    minutes: Math.ceil(duration / 60),
    cpus: Math.ceil(cores / 1000),
    memory,
    gres: gpus && `${gres[gpus.type] ?? 'gpu'}:${gpus.count}`,
  };
}

/** Nothing is lent to drafts: the site names the user of jobs, and Slurm hands out devices. */
export async function nothingLent(): Promise<void> {
  return undefined;
}

/**
 * Puts a job in its place.
 *
 * @returns false when another attempt did
 * @throws ClaimLost, or an error that passes
 */
export function placeJob(host: SlurmHost, jobsRoot: string, workload: Workload): Promise<boolean> {
  return prepareOnce({
    jobsRoot,
    workload,
    letGo: nothingLent,
    make: (making) => makeJob(host, workload, making),
  });
}

/**
 * Makes everything that the node of a job will find, and last the request to Slurm.
 *
 * @throws JobFailure
 */
async function makeJob(
  { settings, account, urls, stager }: SlurmHost,
  workload: Workload,
  making: Making,
): Promise<void> {
  const { draft, place } = making;
  const { limits, volumes } = workload;
  await beginRecord(workload, making, account && { uid: account.uid });
  const command = await commandOf(workload, making, settings, urls);
  const environment = {
    ...environmentOf(workload, place),
    ...(await createVolumes(volumes, draft, place)),
  };
  await loadVolumes(stager, workload, draft);
  await writeFile(
    draft.script,
    nodeScript({
      place,
      command,
      environment,
      limits,
      isCounted: workload.task.type !== 'oci-container',
    }),
    { mode: 0o600, flag: 'wx' },
  );
  await mkdir(nodeDirectory(draft), { mode: 0o700 });
  await writeFile(nodeStatus(draft), '', { mode: 0o600, flag: 'wx' });
  if (account !== undefined) await grant(draft, account);
  await writeSlurmIntent(draft, {
    request: requestOf(place, workload, settings),
    since: Date.now(),
  });
}

/**
 * The job's user passes through its directory, reads its script and task, and owns what it
 * writes; nothing hostile ran yet.
 */
async function grant(draft: JobDirectory, account: Account): Promise<void> {
  for (const path of [...writable(draft), nodeDirectory(draft), draft.task])
    await giveTree(path, account);
  for (const path of [draft.stdout, draft.stderr]) await chown(path, account.uid, account.gid);
  await chown(draft.script, 0, account.gid);
  await chmod(draft.script, 0o640);
  await chown(draft.root, 0, account.gid);
  await chmod(draft.root, 0o710);
}

async function giveTree(path: string, { uid, gid }: Account): Promise<void> {
  await chown(path, uid, gid);
  for (const entry of await readdir(path, { withFileTypes: true })) {
    const child = join(path, entry.name);
    if (entry.isDirectory()) await giveTree(child, { user: '', uid, gid });
    else await chown(child, uid, gid);
  }
}

function requestOf(
  place: JobDirectory,
  { limits: { cores, memory, wallTime }, gpus, startsAt }: Workload,
  { gres, guarantee }: SlurmSettings,
): SlurmRequest {
  return {
    name: jobName(place.job),
    script: batchScript(place),
    directory: place.work,
    stdout: place.stdout,
    stderr: place.stderr,
    reservation: guarantee === 'reservation' ? jobName(place.job) : undefined,
    begin: startsAt === undefined ? undefined : Math.floor(startsAt / 1000),
    ...slurmAmountOf({ cores, memory, duration: wallTime, gpus }, gres),
  };
}
