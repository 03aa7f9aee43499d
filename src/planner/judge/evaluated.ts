import type { Site } from '../../site/site.ts';
import type { Weighed } from '../../vortex/index.ts';
import {
  fromCores,
  fromGibibytes,
  MAX_MEBIBYTES,
  MAX_MILLICORES,
  mebibytes,
  type Mebibytes,
  type Millicores,
} from '../../words/units.ts';
import type { Ask, Bounds } from '../ask.ts';
import type { Promised } from '../offer.ts';
import type { Suitable } from './candidate.ts';
import { paidSizes, unknownCosts } from './costs.ts';
import { leastMemoryObjections } from './engine-limits.ts';
import { chooseEnvironment } from './environments.ts';
import type { Objection } from './objection.ts';
import { boundObjections, grantedGpuObjections } from './rule-objections.ts';
import { siteObjections } from './site-objections.ts';
import { chooseSizes, scratchOf, sizesLacking } from './sizing.ts';
import { promisedStorage, storingOf } from './storing.ts';

/** What the rules give, how far a promise may grow, and the limit of what it may be. */
type Sized<Unit> = { readonly amount: Unit; readonly ceiling: number; readonly limit: number };

/**
 * A rule may set an amount to 0. A job needs more than 0, so the smallest storable amount is used.
 */
const LEAST = 1e-9;

/**
 * What a destination could promise with the amounts of the rules, or every reason why not.
 *
 * @param asked as the rules saw it, before the destination added to it
 */
export function judgeEvaluated(
  ask: Ask,
  asked: Ask,
  site: Site,
  { id, destination }: Pick<Suitable, 'id' | 'destination'>,
  evaluated: Weighed,
): readonly Objection[] | Suitable {
  const { cores, memory } = amountsOf(ask, asked, site, evaluated);
  const { storing, objections: ofStorage } = storingOf(ask, site, id);
  const amounts = {
    parts: ask.parts,
    cores: { min: cores.amount, max: cores.amount },
    memory: { min: memory.amount, max: memory.amount },
    gpus: ask.gpus,
  };
  const objections = [
    ...siteObjections(ask, site, destination),
    ...ofStorage,
    ...unknownCosts(ask, site, destination),
    ...boundObjections('cores', cores.amount, ask),
    ...boundObjections('memory', memory.amount, ask),
    ...grantedGpuObjections(ask, evaluated.resources.gpus.value),
    ...leastMemoryObjections(ask, destination, amounts),
  ];
  if (objections.length > 0) {
    // The ask may need more than the rules give; then its own amounts are judged.
    const least = {
      cores: Math.max(cores.amount, ask.cores.min ?? 0),
      memory: Math.max(memory.amount, ask.memory.min ?? 0),
    };
    const limits = {
      cores: Math.max(cores.limit, least.cores),
      memory: Math.max(memory.limit, least.memory),
    };
    return [...objections, ...sizesLacking(ask, destination, least, limits)];
  }
  const storage = promisedStorage(ask.storage, storing.stores[0], site.storage);
  const scratch = scratchOf(ask, site, storage);
  const { environment } = chooseEnvironment(ask, destination);
  const results = destination.results && mebibytes(Math.min(destination.results.perJob, scratch));
  const least: Promised = {
    taskType: ask.taskType,
    task: ask.task,
    plugin: ask.plugin,
    ...(environment && { environment }),
    ...amounts,
    scratch,
    storage,
    results,
  };
  const choice = chooseSizes(
    least,
    { cores: cores.ceiling, memory: memory.ceiling },
    { cores: cores.limit, memory: memory.limit },
    destination.sizes,
    ask,
  );
  if (!('sizes' in choice)) return choice;
  const paid = paidSizes(ask, site.offers, destination, choice.sizes);
  return 'sizes' in paid ? { id, destination, storing, ...choice, ...paid } : paid;
}

function amountsOf(
  ask: Ask,
  asked: Ask,
  site: Site,
  { resources }: Weighed,
): { cores: Sized<Millicores>; memory: Sized<Mebibytes> } {
  return {
    cores: sizeWithin(
      valueOf(resources.cores.value, coresOfRules),
      boundOf(resources.cores.max, coresOfRules),
      asked.cores,
      site.defaults.cores,
      ask.cores.min,
    ),
    memory: sizeWithin(
      valueOf(resources.mem.value, memoryOfRules),
      boundOf(resources.mem.max, memoryOfRules),
      asked.memory,
      site.defaults.memory,
      ask.memory.min,
    ),
  };
}

/**
 * The rules' value; without one that of the ask, or the site's default within the ask's bounds.
 *
 * @param least what the destination needs of an ask that the rules grant; their bound goes before it
 */
function sizeWithin<Unit extends number>(
  value: Unit | undefined,
  bound: Unit | undefined,
  asked: Bounds<Unit>,
  fallback: Unit,
  least: Unit | undefined,
): Sized<Unit> {
  const unruled =
    asked.min ?? (asked.max !== undefined && asked.max < fallback ? asked.max : fallback);
  const given = value ?? unruled;
  const isAdded =
    least !== undefined && least > given && given >= (asked.min ?? 0) && least <= (bound ?? least);
  const amount = isAdded ? least : given;
  const limit = Math.max(amount, Math.min(asked.max ?? Infinity, bound ?? Infinity));
  return { amount, ceiling: Math.max(amount, Math.min(asked.max ?? amount, limit)), limit };
}

/** Rules may set any amount. Every destination refuses the largest one that there is a unit for. */
function coresOfRules(cores: number): Millicores {
  return fromCores(Math.min(cores, MAX_MILLICORES / 1000));
}

function memoryOfRules(gibibytes: number): Mebibytes {
  return fromGibibytes(Math.min(gibibytes, MAX_MEBIBYTES / 1024));
}

function valueOf<Unit>(value: number | null, unit: (value: number) => Unit): Unit | undefined {
  return value === null ? undefined : unit(Math.max(LEAST, value));
}

/** In TPV a bound of 0 or null is none. */
function boundOf<Unit>(value: number | null, unit: (value: number) => Unit): Unit | undefined {
  return value === null || value <= 0 ? undefined : unit(value);
}
