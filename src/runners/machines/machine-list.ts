import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobId } from '../../words/ids.ts';
import { isRecord } from '../../words/record.ts';
import { machineRunId, type MachineRunId } from '../../words/run-id.ts';
import { MOST_MACHINES } from '../port.ts';
import { readJson, rootOf, writeJson, writeJsonOnce } from '../run/directory.ts';

/** The machines of a job that has several, as its directory keeps them. */
export type MachineList = {
  readonly runs: readonly MachineRunId[];
  /** whether the engine has all of them */ readonly isSent: boolean;
};

/** Writes down how many machines a job has, before any of them begins. Idempotent. */
export async function writeMachineList(
  jobsRoot: string,
  job: JobId,
  machines: number,
): Promise<readonly MachineRunId[]> {
  const root = rootOf(jobsRoot, job);
  // Users of jobs pass through it to the directories of their machines. The umask may have taken
  // rights away from a new directory.
  if ((await mkdir(root, { recursive: true })) !== undefined) await chmod(root, 0o711);
  await writeJsonOnce(rollFile(root), { machines });
  return Array.from({ length: machines }, (_, machine) => machineRunId(job, machine));
}

/** Whether the job of a directory has several machines. */
export async function hasMachineList(jobsRoot: string, job: string): Promise<boolean> {
  return (await readJson(rollFile(join(jobsRoot, job)))) !== undefined;
}

/**
 * Notes that the engine has all machines of a job: a machine that it does not know later is lost.
 */
export function noteSent(jobsRoot: string, job: JobId): Promise<void> {
  return writeJson(sentFile(rootOf(jobsRoot, job)), {});
}

/** @returns undefined when the job has one machine, or never began here */
export async function readMachineList(
  jobsRoot: string,
  job: JobId,
): Promise<MachineList | undefined> {
  const root = rootOf(jobsRoot, job);
  const roll = await readJson(rollFile(root));
  const machines = isRecord(roll) ? roll['machines'] : undefined;
  if (
    typeof machines !== 'number' ||
    !Number.isInteger(machines) ||
    machines < 1 ||
    machines > MOST_MACHINES
  )
    return undefined;
  return {
    runs: Array.from({ length: machines }, (_, machine) => machineRunId(job, machine)),
    isSent: (await readJson(sentFile(root))) !== undefined,
  };
}

function rollFile(root: string): string {
  return join(root, 'machines.json');
}

function sentFile(root: string): string {
  return join(root, 'sent.json');
}
