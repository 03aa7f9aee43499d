import { float } from '../../python/index.ts';
import type { Value } from '../../python/index.ts';
import type { ResourceRequirement, ResourceRequirementType } from '../job.ts';
import type { AmountName } from '../entity/properties.ts';

const MIB_PER_GIB = 1024;

/** The amount that each requirement sets, and the number of its units in one of TPV's. */
const TARGETS: {
  readonly [type in ResourceRequirementType]: {
    readonly amount: AmountName;
    readonly unit: number;
  };
} = {
  cores_min: { amount: 'cores', unit: 1 },
  cores_max: { amount: 'max_cores', unit: 1 },
  ram_min: { amount: 'mem', unit: MIB_PER_GIB },
  ram_max: { amount: 'max_mem', unit: MIB_PER_GIB },
  cuda_device_count_min: { amount: 'gpus', unit: 1 },
  cuda_device_count_max: { amount: 'max_gpus', unit: 1 },
  mem_min: { amount: 'mem', unit: 1 },
  mem_max: { amount: 'max_mem', unit: 1 },
};

/**
 * The amount of an entity that a requirement sets. A float, as Galaxy's: the text `{cores}` gives
 * `4.0`.
 */
export function requirementAmountOf({
  type,
  value,
}: ResourceRequirement): readonly [AmountName, Value] {
  const { amount, unit } = TARGETS[type];
  return [amount, float(value / unit)];
}
