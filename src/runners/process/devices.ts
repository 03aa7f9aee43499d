import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { JobId } from '../../words/ids.ts';
import { isRecord } from '../../words/record.ts';
import type { Workload } from '../port.ts';
import { alone } from './alone.ts';
import { readJson, writeJsonOnce } from './directory.ts';
import type { Device } from './terms.ts';

/** Hands out the devices of this machine. The loans are files, so every executor with this directory of jobs sees them. */
export type DevicePool = {
  /**
   * The devices of one job, each of which no other job has. The book promises no more than there are, but the job before may
   * still be ending: waits some seconds.
   *
   * @returns undefined when there are not enough
   */
  readonly lend: (job: JobId, wanted: NonNullable<Workload['gpus']>) => Promise<readonly Device[] | undefined>;
  readonly giveBack: (job: JobId) => Promise<void>;
};

const PATIENCE_MS = 10_000;
const AGAIN_MS = 100;

/**
 * @param jobsRoot directory of all jobs; the loans are in `.devices` there, one file for each, with the id of the job in it
 * @param known the site's devices by type
 */
export const devicePool = (jobsRoot: string, known: Readonly<Record<string, readonly Device[]>>): DevicePool => {
  const directory = join(jobsRoot, '.devices');
  const host = hostname();
  // Several hosts may share the directory, and each has a device 0.
  const loanOf = ({ id }: Device): string => join(directory, createHash('sha256').update(`${host}\0${id}`).digest('hex').slice(0, 32));

  /** A job that is over, or whose directory is gone, has no device any more: nothing of it runs. */
  const isLent = async (loan: string): Promise<boolean> => {
    const note = await readJson(loan);
    const holder = isRecord(note) && typeof note['job'] === 'string' ? note['job'] : undefined;
    if (holder === undefined) return existsSync(loan);
    const root = join(jobsRoot, holder);
    if (existsSync(root) && !existsSync(join(root, 'outcome.json'))) return true;
    await rm(loan, { force: true });
    return false;
  };

  const tryToLend = async (job: JobId, { type, count }: NonNullable<Workload['gpus']>): Promise<readonly Device[] | undefined> => {
    const free: Device[] = [];
    for (const device of known[type] ?? []) if (!(await isLent(loanOf(device)))) free.push(device);
    if (free.length < count) return undefined;
    const lent = free.slice(0, count);
    for (const device of lent) await writeJsonOnce(loanOf(device), { job, device: device.id });
    return lent;
  };

  return {
    lend: async (job, wanted) => {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      for (let waited = 0; ; waited += AGAIN_MS) {
        const lent = await alone(`planner-devices-${directory}`.slice(-100), () => tryToLend(job, wanted));
        if (lent !== undefined || waited >= PATIENCE_MS || (known[wanted.type]?.length ?? 0) < wanted.count) return lent;
        await delay(AGAIN_MS);
      }
    },
    giveBack: async (job) => {
      const names = await readdir(directory).catch(() => []);
      for (const name of names) {
        const note = await readJson(join(directory, name));
        if (isRecord(note) && note['job'] === job) await rm(join(directory, name), { force: true });
      }
    },
  };
};

/** How the programs of each vendor are told which devices are theirs; without any, that none is. */
export const deviceEnvironment = (devices: readonly Device[]): Readonly<Record<string, string>> => {
  const ids = devices.map(({ id }) => id).join(',');
  return { CUDA_VISIBLE_DEVICES: ids, NVIDIA_VISIBLE_DEVICES: ids === '' ? 'none' : ids, ROCR_VISIBLE_DEVICES: ids };
};
