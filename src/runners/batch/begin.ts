import { chmod, chown, mkdir, writeFile } from 'node:fs/promises';
import type { Stager } from '../../storage/stager.ts';
import type { NonEmpty } from '../../words/ids.ts';
import type { JobShape, Workload } from '../port.ts';
import { giveTree, writable, type JobDirectory } from '../run/directory.ts';
import { beginRecord, prepareOnce, type Making } from '../run/draft.ts';
import { loadVolumes } from '../run/staging.ts';
import { createVolumes } from '../run/volumes.ts';
import type { Account } from './account.ts';
import { writeBatchIntent } from './files.ts';
import { reportProgram } from './hosts.ts';
import { machineReports } from './machines.ts';
import { environmentOf } from './program.ts';
import { stepsName } from './steps.ts';
import { batchScript, nodeDirectory, nodeScript, nodeStatus } from './script.ts';
import type { BatchAmount, BatchRequest, BatchSystem } from './system.ts';

/** What the preparation of jobs needs. */
export type BatchHost = {
  readonly system: BatchSystem;
  readonly account: Account | undefined;
  readonly stager: Stager | undefined;
  /** Writes the files of a task, and gives its command line. @throws JobFailure */
  readonly commandOf: (workload: Workload, making: Making) => Promise<NonEmpty<string>>;
  /** The devices of a job in the words of the system; absent: it hands out none. */
  readonly gresOf?: (gpus: JobShape['gpus']) => string | undefined;
  /**
   * The share of a job's amounts that its head takes, which hands its steps to the system itself;
   * undefined: all of them.
   */
  readonly headOf?: (workload: Workload) => Pick<JobShape, 'cores' | 'memory'> | undefined;
  /** Whether a reservation is made for each job, of its name. */
  readonly isReserved?: boolean;
};

/** Name of a job in its batch system, and of its reservation. */
export function jobName(job: string): string {
  return `vo-${job}`;
}

/** The amounts of a job in the units of batch systems. */
export function batchAmountOf(
  { cores, memory, duration, gpus }: JobShape,
  gresOf: BatchHost['gresOf'],
): BatchAmount {
  return {
    // They count minutes and check now and then; the script on the node enforces the seconds.
    minutes: Math.ceil(duration / 60),
    cpus: Math.ceil(cores / 1000),
    memory,
    gres: gresOf?.(gpus),
  };
}

/** Nothing is lent to drafts: the site names the user of jobs, and the system hands out devices. */
export async function nothingLent(): Promise<void> {
  return undefined;
}

/**
 * Puts a job in its place.
 *
 * @returns false when another attempt did
 * @throws ClaimLost, or an error that passes
 */
export function placeJob(host: BatchHost, jobsRoot: string, workload: Workload): Promise<boolean> {
  return prepareOnce({
    jobsRoot,
    workload,
    letGo: nothingLent,
    make: (making) => makeJob(host, workload, making),
  });
}

/**
 * Makes everything that the node of a job will find, and last the request.
 *
 * @throws JobFailure
 */
async function makeJob(host: BatchHost, workload: Workload, making: Making): Promise<void> {
  const { system, account, stager } = host;
  const { draft, place } = making;
  const { limits, volumes, allocation } = workload;
  await beginRecord(workload, making, account && { uid: account.uid });
  const command = await host.commandOf(workload, making);
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
      allocation,
      system,
      isCounted: workload.task.type !== 'oci-container',
    }),
    { mode: 0o600, flag: 'wx' },
  );
  if (allocation !== undefined && system.parallel !== undefined)
    await writeFile(reportProgram(draft), system.parallel.report.script(machineReports(place)), {
      mode: 0o700,
      flag: 'wx',
    });
  await mkdir(nodeDirectory(draft), { mode: 0o700 });
  await writeFile(nodeStatus(draft), '', { mode: 0o600, flag: 'wx' });
  if (account !== undefined) await grant(draft, account);
  await writeBatchIntent(system.name, draft, {
    request: requestOf(place, workload, host),
    reached: system.reached,
    since: Date.now(),
  });
}

/**
 * The job's user passes through its directory, reads its script and task, and owns what it
 * writes; nothing hostile ran yet.
 */
async function grant(draft: JobDirectory, account: Account): Promise<void> {
  for (const path of [...writable(draft), nodeDirectory(draft), draft.task])
    await giveTree(path, account.uid, account.gid);
  for (const path of [draft.stdout, draft.stderr]) await chown(path, account.uid, account.gid);
  await chown(draft.script, 0, account.gid);
  await chmod(draft.script, 0o640);
  await chown(draft.root, 0, account.gid);
  await chmod(draft.root, 0o710);
}

function requestOf(
  place: JobDirectory,
  workload: Workload,
  { gresOf, headOf, isReserved = false }: BatchHost,
): BatchRequest {
  const { limits, gpus, startsAt, allocation } = workload;
  const head = headOf?.(workload);
  const { cores, memory } = head ?? limits;
  const name = jobName(place.job);
  return {
    name,
    script: batchScript(place),
    directory: place.work,
    stdout: place.stdout,
    stderr: place.stderr,
    reservation: isReserved ? name : undefined,
    steps: head && stepsName(name),
    begin: startsAt === undefined ? undefined : Math.floor(startsAt / 1000),
    ...batchAmountOf(
      { cores, memory, gpus, ...allocation?.[0], duration: limits.wallTime },
      gresOf,
    ),
    nodes: allocation?.length,
  };
}
