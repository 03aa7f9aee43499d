import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isRecord } from '../../../words/record.ts';
import { parseRunId, type RunId } from '../../../words/run-id.ts';
import { NotYet } from '../../passing.ts';
import type { Workload } from '../../port.ts';
import { directoryOf, readJson } from '../../run/directory.ts';
import { runOfHolder } from '../../run/draft.ts';
import { isLoanOwner } from './loan-owners.ts';
import { openLoans, type Loan } from './loans.ts';
import type { Device } from '../settings.ts';

/**
 * Hands out the devices of this machine. The loans are files, so every executor with
 * this directory of jobs sees them.
 */
export type DevicePool<Lent extends Device = Device> = {
  /**
   * Lends devices to a draft. The book promises no more than there are, but the job before may
   * still be ending: waits some seconds.
   *
   * @returns undefined when there are not enough
   */
  readonly lend: (
    holder: string,
    wanted: NonNullable<Workload['gpus']>,
  ) => Promise<readonly Lent[] | undefined>;
  /** Whether the destination has this many devices at all. */
  readonly has: (wanted: NonNullable<Workload['gpus']>) => boolean;
  /** Ends the loans of a job; nothing of it runs any more. */
  readonly giveBack: (job: RunId) => Promise<void>;
  /** Ends the loans of a draft. */
  readonly letGo: (holder: string) => Promise<void>;
};

/**
 * An engine in which a job may run on after its outcome is written down, for example because the
 * engine was away.
 */
type Keeper = {
  /** the same in every executor */
  readonly name: string;
  /** @throws Error when the engine cannot be asked */
  readonly hasEnded: (job: string) => Promise<boolean>;
};

const PATIENCE_MS = 10_000;
const AGAIN_MS = 100;

/**
 * @param jobsRoot directory of all jobs; the loans are in `.devices` there
 * @param known the site's devices by type
 * @param keeper undefined: a job with an outcome is over
 * @param machine whose devices they are, by the same name for every executor that hands them out
 */
export function devicePool<Lent extends Device>(
  jobsRoot: string,
  known: Readonly<Record<string, readonly Lent[]>>,
  keeper?: Keeper,
  machine = hostname(),
): DevicePool<Lent> {
  const directory = join(jobsRoot, '.devices');
  const loans = openLoans(directory);
  // Several machines may share the directory, and each has a device 0.
  const thingOf = ({ id }: Device): string => hash('sha256', `${machine}\0${id}`).slice(0, 32);

  /**
   * Whether the holder still has it. A loan of another keeper stays, since we cannot ask that
   * keeper.
   */
  const isLent = async ({ holder, note }: Loan): Promise<boolean> => {
    if (await isLoanOwner(jobsRoot, holder)) return true;
    if (note === '') return false;
    return note !== keeper?.name || !(await keeper.hasEnded(runOfHolder(holder) ?? ''));
  };

  const tryOne = async (holder: string, device: Lent): Promise<boolean> => {
    const thing = thingOf(device);
    const loan = { thing, holder, note: keeper?.name ?? '' };
    if (await loans.take(loan)) return true;
    const found = await loans.of(thing);
    if (found !== undefined && (await isLent(found))) return false;
    if (found === undefined)
      return (await endOld(jobsRoot, join(directory, thing))) && loans.take(loan);
    await loans.end(found);
    return loans.take(loan);
  };

  const tryToLend = async (
    holder: string,
    { type, count }: NonNullable<Workload['gpus']>,
  ): Promise<readonly Lent[] | undefined> => {
    const lent: Lent[] = [];
    for (const device of known[type] ?? [])
      if (lent.length < count && (await tryOne(holder, device))) lent.push(device);
    if (lent.length === count) return lent;
    // A part is given back, so that others who want several do not wait for it.
    await loans.endAll(holder);
    return undefined;
  };

  return {
    has: ({ type, count }) => (known[type]?.length ?? 0) >= count,
    lend: async (holder, wanted) => {
      for (let waited = 0; ; waited += AGAIN_MS) {
        const lent = await tryToLend(holder, wanted);
        if (lent !== undefined || waited >= PATIENCE_MS) return lent;
        // At random, so as not to keep step with another one who wants several.
        await delay(AGAIN_MS * (0.5 + Math.random()));
      }
    },
    giveBack: async (job) => {
      for (const loan of await loans.all())
        if (runOfHolder(loan.holder) === job) await loans.end(loan);
    },
    letGo: loans.endAll,
  };
}

/**
 * A site whose devices have become fewer may have them again: jobs wait for that.
 *
 * @param pool undefined: the site names no devices
 * @throws NotYet when there are not enough, whoever has them
 */
export function mustHave(pool: DevicePool | undefined, { gpus }: Pick<Workload, 'gpus'>): void {
  if (gpus !== undefined && pool?.has(gpus) !== true)
    throw new NotYet(`this destination has fewer than ${gpus.count} devices of type ${gpus.type}`);
}

/**
 * Lends a job the devices that it was promised.
 *
 * @param pool undefined: the site names no devices
 * @throws NotYet while others have them
 */
export async function lendTo<Lent extends Device>(
  pool: DevicePool<Lent> | undefined,
  holder: string,
  { gpus }: Pick<Workload, 'gpus'>,
): Promise<readonly Lent[]> {
  if (gpus === undefined) return [];
  const lent = await pool?.lend(holder, gpus);
  if (lent === undefined)
    throw new NotYet(`fewer than ${gpus.count} devices of type ${gpus.type} are free`);
  return lent;
}

/**
 * Variables that tell the programs of each vendor which devices they may use, also when there are
 * none.
 */
export function deviceEnvironment(devices: readonly Device[]): Readonly<Record<string, string>> {
  const ids = devices.map(({ id }) => id).join(',');
  return {
    CUDA_VISIBLE_DEVICES: ids,
    NVIDIA_VISIBLE_DEVICES: ids === '' ? 'none' : ids,
    ROCR_VISIBLE_DEVICES: ids,
  };
}

/**
 * A loan of the version before is one file, with the job in it.
 * @returns whether it ended with its job
 */
async function endOld(jobsRoot: string, file: string): Promise<boolean> {
  const note = await readJson(file);
  const run =
    isRecord(note) && typeof note['job'] === 'string' ? parseRunId(note['job']) : undefined;
  if (run === undefined || note === undefined) return false;
  const place = directoryOf(jobsRoot, run);
  if (existsSync(place.root) && !existsSync(place.outcome)) return false;
  await rm(file, { force: true });
  return true;
}
