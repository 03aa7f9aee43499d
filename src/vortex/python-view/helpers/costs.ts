import { float, nativeFunction, raise, str } from '../../../python/index.ts';
import type { Value } from '../../../python/index.ts';
import { Entity } from '../../entity/entity.ts';
import type { CostRates, JobDescription } from '../../job.ts';

/** The amounts of a job, as they are compared with limits of destinations; null: not set. */
export type AmountsAsked = { readonly [name in 'cores' | 'mem' | 'gpus']: number | null };

/**
 * The helper `cost`, which TPV does not have: what the job costs at a destination in an hour, with
 * the sum for every job. It is infinite where nobody says, so that such destinations come last.
 *
 * @param demand null before the job is compared with destinations
 */
export function costHelper(
  { costs }: Pick<JobDescription, 'costs'>,
  demand: () => AmountsAsked | null,
): Value {
  const { rates: list = [], defaults = { cores: 0, mem: 0 } } = costs ?? {};
  const usual = list[0]?.rates[0]?.type;
  const ratesAt = new Map(
    list.flatMap(({ destinations, rates }) => destinations.map((id) => [id, rates] as const)),
  );
  return nativeFunction('cost(destination, type=)', (destination = null, type = null) => {
    const { cores, mem, gpus } = demand() ?? notYet();
    const wanted = type === null ? usual : str(type);
    const id = destination instanceof Entity ? destination.id : str(destination);
    const found = ratesAt.get(id)?.find((one) => one.type === wanted);
    const amounts = { cores: cores ?? defaults.cores, mem: mem ?? defaults.mem, gpus: gpus ?? 0 };
    return float(found === undefined ? Infinity : costOf(found, amounts));
  });
}

function notYet(): never {
  return raise('ValueError', 'helpers.cost knows the job only in rank functions and after them');
}

function costOf(
  { core, mem, gpu, job }: CostRates,
  amounts: { readonly cores: number; readonly mem: number; readonly gpus: number },
): number {
  return job + core * amounts.cores + mem * amounts.mem + gpu * amounts.gpus;
}
