import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseRunId, type RunId } from '../../words/run-id.ts';
import { JobFailure } from '../../words/job-failure.ts';
import { isRecord } from '../../words/record.ts';
import type { Workload } from '../port.ts';
import { alone } from './alone.ts';
import { readJson, rootOf, writeJsonOnce } from './directory.ts';
import type { Device } from './terms.ts';

/** Hands out the devices of this machine. The loans are files, so every executor with this directory of jobs sees them. */
export type DevicePool<Lent extends Device = Device> = {
  /**
   * The devices of one job, each of which no other job has. The book promises no more than there are, but the job before may
   * still be ending: waits some seconds.
   *
   * @returns undefined when there are not enough
   */
  readonly lend: (job: RunId, wanted: NonNullable<Workload['gpus']>) => Promise<readonly Lent[] | undefined>;
  /** Ends the loans of a job; nothing of it runs any more. */
  readonly giveBack: (job: RunId) => Promise<void>;
};

/** An engine in which a job may run on although its outcome is written down: one that was away, for example. */
export type Keeper = {
  /** the same for every executor */
  readonly name: string;
  /** @throws Error when the engine cannot be asked */
  readonly hasEnded: (job: string) => Promise<boolean>;
};

const PATIENCE_MS = 10_000;
const AGAIN_MS = 100;

type Loan = { readonly job: string; readonly keeper: string | undefined };

const readLoan = async (path: string): Promise<Loan | undefined> => {
  const note = await readJson(path);
  if (!isRecord(note) || typeof note['job'] !== 'string') return undefined;
  return { job: note['job'], keeper: typeof note['keeper'] === 'string' ? note['keeper'] : undefined };
};

/**
 * @param jobsRoot directory of all jobs; the loans are in `.devices` there, one file for each, with the id of the job in it
 * @param known the site's devices by type
 * @param keeper undefined: a job with an outcome is over
 */
export const devicePool = <Lent extends Device>(jobsRoot: string, known: Readonly<Record<string, readonly Lent[]>>, keeper?: Keeper): DevicePool<Lent> => {
  const directory = join(jobsRoot, '.devices');
  const host = hostname();
  // Several hosts may share the directory, and each has a device 0.
  const loanOf = ({ id }: Device): string => join(directory, createHash('sha256').update(`${host}\0${id}`).digest('hex').slice(0, 32));
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => alone(`planner-devices-${directory}`.slice(-100), work);

  /** Of a job that has an outcome. A keeper that is not ours cannot be asked. */
  const isOver = async (loan: Loan): Promise<boolean> => {
    if (loan.keeper === undefined) return true;
    return loan.keeper === keeper?.name && keeper.hasEnded(loan.job);
  };

  /** A job that is over, or whose directory is gone, has no device any more: nothing of it runs. */
  const isLent = async (path: string, asker: RunId): Promise<boolean> => {
    const loan = await readLoan(path);
    if (loan === undefined) return existsSync(path);
    if (loan.job === asker) return false;
    const run = parseRunId(loan.job);
    const root = run === undefined ? join(jobsRoot, loan.job) : rootOf(jobsRoot, run);
    if (existsSync(root) && !(existsSync(join(root, 'outcome.json')) && (await isOver(loan)))) return true;
    await rm(path, { force: true });
    return false;
  };

  const tryToLend = async (job: RunId, { type, count }: NonNullable<Workload['gpus']>): Promise<readonly Lent[] | undefined> => {
    const free: Lent[] = [];
    for (const device of known[type] ?? []) if (!(await isLent(loanOf(device), job))) free.push(device);
    if (free.length < count) return undefined;
    const lent = free.slice(0, count);
    for (const device of lent) await writeJsonOnce(loanOf(device), { job, device: device.id, ...(keeper && { keeper: keeper.name }) });
    return lent;
  };

  return {
    lend: async (job, wanted) => {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      for (let waited = 0; ; waited += AGAIN_MS) {
        const lent = await inTurn(() => tryToLend(job, wanted));
        if (lent !== undefined || waited >= PATIENCE_MS || (known[wanted.type]?.length ?? 0) < wanted.count) return lent;
        await delay(AGAIN_MS);
      }
    },
    // Without its turn it could remove what was lent to the next job meanwhile.
    giveBack: (job) => inTurn(async () => {
      const names = await readdir(directory).catch(() => []);
      for (const name of names) if ((await readLoan(join(directory, name)))?.job === job) await rm(join(directory, name), { force: true });
    }),
  };
};

/**
 * The devices that a job was promised: none for one that was promised none.
 *
 * @param pool undefined: the site names no devices
 * @throws JobFailure
 */
export const lendTo = async <Lent extends Device>(pool: DevicePool<Lent> | undefined, { job, gpus }: Pick<Workload, 'job' | 'gpus'>): Promise<readonly Lent[]> => {
  if (gpus === undefined) return [];
  if (pool === undefined) throw new JobFailure('runner-failed', `this destination names no devices of type ${gpus.type}`);
  const lent = await pool.lend(job, gpus);
  if (lent === undefined) throw new JobFailure('runner-failed', `fewer than ${gpus.count} devices of type ${gpus.type} are free`, true);
  return lent;
};

/** How the programs of each vendor are told which devices are theirs; without any, that none is. */
export const deviceEnvironment = (devices: readonly Device[]): Readonly<Record<string, string>> => {
  const ids = devices.map(({ id }) => id).join(',');
  return { CUDA_VISIBLE_DEVICES: ids, NVIDIA_VISIBLE_DEVICES: ids === '' ? 'none' : ids, ROCR_VISIBLE_DEVICES: ids };
};
