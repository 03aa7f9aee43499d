import type { Capacity } from '../../schedule/amount.ts';
import type { Burst, Flavour, Sizes } from '../../site/sizes.ts';
import type { SiteDestination } from '../../site/destination.ts';
import type { Site } from '../../site/site.ts';
import type { NonEmpty } from '../../words/ids.ts';
import { isNonEmpty } from '../../words/ids.ts';
import {
  MAX_MEBIBYTES,
  MAX_MILLICORES,
  mebibytes,
  millicores,
  type Mebibytes,
} from '../../words/units.ts';
import type { Ask, ComputePart } from '../ask.ts';
import {
  askedOfWhole,
  isCoveredBy,
  elasticRange,
  flavourObjections,
  sizedMachines,
  type SizeLimits,
} from './machine-sizes.ts';
import type { Objection } from './objection.ts';
import type { Promised } from '../offer.ts';
import { isOneMachine, leastScratch, scratchOfAll, sharesOf, storableSize } from './parts.ts';

/** How far cores (millicores) and memory (MiB) may grow, and in which steps. */
export type Growth = {
  readonly cores: number;
  readonly memory: number;
  readonly coreStep: number;
  readonly memoryStep: number;
};

/** The sizes that a destination could promise, the smallest first; the last of them may grow. */
export type Choice = { readonly sizes: NonEmpty<Promised>; readonly growth: Growth };

const FIXED: Growth = { cores: 0, memory: 0, coreStep: 1, memoryStep: 1 };

/**
 * The sizes of a destination that cover the need and keep to the limits.
 *
 * @param least the need, before the destination's sizes
 * @param ceiling how far the ask and the rules let a promise grow
 * @param limits the ask's maximum and the rules' bound; Infinity: none
 */
export function chooseSizes(
  least: Promised,
  ceiling: SizeLimits,
  limits: SizeLimits,
  sizes: Sizes,
  ask: Ask,
): Choice | readonly Objection[] {
  if ((sizes.kind === 'elastic' || sizes.kind === 'flavours') && !isOneMachine(ask.parts)) {
    const sized = sizedMachines(least, limits, sizes, ask);
    return 'parts' in sized ? { sizes: [sized], growth: FIXED } : sized;
  }
  switch (sizes.kind) {
    case 'any':
      return { sizes: [least], growth: { ...ceiling, coreStep: 1, memoryStep: 1 } };
    case 'elastic':
      return elasticChoice(least, ceiling, limits, sizes, ask);
    case 'flavours':
      return flavourChoice(least, limits, sizes.flavours, ask);
    case 'burst':
      return burstChoice(least, limits, sizes);
    default:
      return sizes satisfies never;
  }
}

/**
 * Why the sizes of a destination do not cover an ask that it refuses for other reasons.
 *
 * @param least the need
 * @param limits as in {@link chooseSizes}
 */
export function sizesLacking(
  ask: Ask,
  destination: SiteDestination,
  least: SizeLimits,
  limits: SizeLimits,
): readonly Objection[] {
  const { sizes } = destination;
  if (sizes.kind === 'any' || sizes.kind === 'burst') return [];
  const isWhole = hasGpus(ask, destination);
  const [first, ...more] = ask.parts;
  const plain = (part: ComputePart): ComputePart => (isWhole ? part : { ...part, gpus: undefined });
  const [cores, memory] = [millicores(least.cores), mebibytes(least.memory)];
  const choice = chooseSizes(
    {
      taskType: ask.taskType,
      task: ask.task,
      plugin: ask.plugin,
      parts: [plain(first), ...more.map(plain)],
      cores: { min: cores, max: cores },
      memory: { min: memory, max: memory },
      scratch: mebibytes(0),
      gpus: isWhole ? ask.gpus : undefined,
      storage: [],
    },
    limits,
    limits,
    isWhole ? sizes : withoutGpus(sizes),
    ask,
  );
  return 'sizes' in choice ? [] : choice;
}

/** Volumes lie on the disc of each machine that mounts them while the job runs. */
export function scratchOf(ask: Ask, { defaults }: Site, storage: Promised['storage']): Mebibytes {
  const { parts } = ask;
  const scratch = storableSize(Math.max(defaults.scratch, leastScratch(ask)));
  const all = isOneMachine(parts)
    ? Math.max(
        scratch,
        storage.reduce((sum, { size = 0 }) => sum + size, 0),
      )
    : scratchOfAll(parts, storage, scratch);
  return storableSize(all);
}

/** The same promise with as much room to grow as is allowed and free; undefined if there is none. */
export function grownPromise(
  promised: Promised,
  growth: Growth,
  free: Capacity,
): Promised | undefined {
  const cores = millicores(grownTo(promised.cores.min, growth.cores, free.cores, growth.coreStep));
  const memory = mebibytes(
    grownTo(promised.memory.min, growth.memory, free.memory, growth.memoryStep),
  );
  if (cores <= promised.cores.max && memory <= promised.memory.max) return undefined;
  return {
    ...promised,
    cores: { min: promised.cores.min, max: cores },
    memory: { min: promised.memory.min, max: memory },
  };
}

/** Elastic: in whole steps, from the minimum of the range to its maximum or the ceiling. */
function elasticChoice(
  least: Promised,
  ceiling: SizeLimits,
  limits: SizeLimits,
  sizes: Extract<Sizes, { kind: 'elastic' }>,
  ask: Ask,
): Choice | readonly Objection[] {
  const given = elasticRange(least, limits, sizes, askedOfWhole(ask));
  if (!('least' in given)) return given;
  const { least: first, most } = given;
  const [c, m] = [millicores(first.cores), mebibytes(first.memory)];
  return {
    sizes: [{ ...least, cores: { min: c, max: c }, memory: { min: m, max: m } }],
    growth: {
      cores: Math.min(most.cores, ceiling.cores),
      memory: Math.min(most.memory, ceiling.memory),
      coreStep: sizes.cores?.step ?? 1,
      memoryStep: sizes.memory?.step ?? 1,
    },
  };
}

function flavourChoice(
  least: Promised,
  limits: SizeLimits,
  flavours: readonly Flavour[],
  ask: Ask,
): Choice | readonly Objection[] {
  const sizes = flavours
    .filter((flavour) => isCoveredBy(flavour, least, limits))
    .map(({ cores, memory, gpus }): Promised => ({
      ...least,
      cores: { min: cores, max: cores },
      memory: { min: memory, max: memory },
      gpus,
    }));
  if (isNonEmpty(sizes)) return { sizes, growth: FIXED };
  return flavourObjections(least, limits, flavours, askedOfWhole(ask));
}

/**
 * Burst: the minimum is held, and each machine may use more within the bounds of its item, the ask,
 * the rules and the destination.
 */
function burstChoice(
  least: Promised,
  limits: SizeLimits,
  { cores: c, memory: m, most }: Burst,
): Choice {
  const shares = sharesOf(least).map(({ part, cores, memory }) => ({
    part,
    cores: {
      min: cores.min,
      max: millicores(multiplied(cores.min, c, part.cores.max ?? MAX_MILLICORES)),
    },
    memory: {
      min: memory.min,
      max: mebibytes(multiplied(memory.min, m, part.memory.max ?? MAX_MEBIBYTES)),
    },
  }));
  const sumOf = (what: 'cores' | 'memory'): number =>
    shares.reduce((sum, { part, [what]: { max } }) => sum + max * part.replicas, 0);
  const parts = shares.map(({ part, cores, memory }) => ({ ...part, cores, memory }));
  return {
    sizes: [
      {
        ...least,
        burst: true,
        parts: isOneMachine(least.parts) || !isNonEmpty(parts) ? least.parts : parts,
        cores: {
          min: least.cores.min,
          max: millicores(multiplied(least.cores.min, c, sumOf('cores'), limits.cores, most.cores)),
        },
        memory: {
          min: least.memory.min,
          max: mebibytes(
            multiplied(least.memory.min, m, sumOf('memory'), limits.memory, most.memory),
          ),
        },
      },
    ],
    growth: FIXED,
  };
}

/** A multiple of the minimum within the bounds, but at least the minimum. */
function multiplied(min: number, times: number, ...bounds: readonly number[]): number {
  return Math.max(min, Math.min(Math.floor(min * times), ...bounds));
}

/** If a destination lacks GPUs, another objection says so, and only cores and memory count here. */
function hasGpus({ gpus }: Ask, { capacity }: SiteDestination): boolean {
  return gpus === undefined || (capacity.gpus.get(gpus.type) ?? 0) >= gpus.count;
}

function withoutGpus(sizes: Sizes): Sizes {
  return sizes.kind === 'flavours'
    ? {
        kind: 'flavours',
        flavours: sizes.flavours.map((flavour) => ({ ...flavour, gpus: undefined })),
      }
    : sizes;
}

/** A value grown in whole steps, as far as is allowed and free. */
function grownTo(from: number, most: number, free: number, step: number): number {
  return from + Math.max(0, Math.floor((Math.min(most, free) - from) / step)) * step;
}
