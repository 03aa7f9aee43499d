import { asNumber, float, integer } from '../../python/index.ts';
import type { Value } from '../../python/index.ts';
import type { JobDescription } from '../job.ts';

/** Columns of Galaxy's table of jobs, and two that sites read from `destination_params`. */
export const COLUMNS = [
  'id',
  'tool_id',
  'state',
  'destination_id',
  'user_id',
  'email',
  'cores',
  'mem',
] as const;
export type ColumnName = (typeof COLUMNS)[number];

/** A group of `weight` equal jobs; `cores` and `mem` (MB, as in `--mem=`) are its totals. */
export type JobRow = {
  readonly weight: number;
  readonly values: { readonly [name in ColumnName]: Value };
};

/** The table of jobs, from the description of a job. */
export function jobRows({ otherJobs = [] }: JobDescription): readonly JobRow[] {
  return otherJobs.map((job, index) => ({
    weight: job.count ?? 1,
    values: {
      id: index + 1,
      tool_id: job.toolId,
      state: job.state,
      destination_id: job.destination ?? null,
      user_id: job.userId ?? null,
      email: job.userEmail ?? null,
      cores: job.cores === undefined ? null : whole(job.cores),
      mem: job.mem === undefined ? null : integer(BigInt(Math.round(job.mem * 1024))),
    },
  }));
}

/** A value of each job of a row. Where its jobs have different amounts that is their mean. */
export function valueOfEach({ weight, values }: JobRow, name: ColumnName): Value {
  const value = values[name];
  if (weight === 1 || !isTotal(name) || value === null) return value;
  const share = (asNumber(value) ?? 0) / weight;
  return typeof value === 'number' ? integer(BigInt(Math.round(share))) : whole(share);
}

/** Whether a row has the total of its jobs. */
export function isTotal(name: ColumnName): boolean {
  return name === 'cores' || name === 'mem';
}

/** An int for a whole number, else a float: a site may lend half a core. */
function whole(amount: number): Value {
  return Number.isSafeInteger(amount) ? amount : float(amount);
}
