import { workflowFactsOf } from '../../tasks/workflow/facts.ts';
import { isWorkflow } from '../../tasks/workflow/workflow.ts';
import { isNonEmpty, type NonEmpty } from '../../words/ids.ts';
import {
  fromCores,
  fromGibibytes,
  MAX_MEBIBYTES,
  MAX_MILLICORES,
  mebibytes,
  millicores,
  type Mebibytes,
  type Millicores,
} from '../../words/units.ts';
import type { Ask, Bounds, ComputePart } from '../ask.ts';
import type { Promised, OfferRange } from '../offer.ts';

/** The minimum of an item among several that names none: what "runs anywhere" (2023 draft). */
const FLOOR = { cores: fromCores(2), memory: fromGibibytes(2) };

type Wanted = { readonly min: number | undefined; readonly max: number | undefined };

/** The minimum that the ask names for all machines; undefined if one of them names none. */
export function saidOf(
  ask: Pick<Ask, 'parts' | 'cores' | 'memory'>,
  resource: 'cores' | 'memory',
): number | undefined {
  return ask.parts.every((part) => part[resource].min !== undefined)
    ? ask[resource].min
    : undefined;
}

/** Whole millicores, at most the largest storable amount, which every destination refuses. */
export function storableCores(value: number): Millicores {
  return millicores(Math.min(value, MAX_MILLICORES));
}

/** Whole MiB, at most the largest storable amount, which every destination refuses. */
export function storableSize(value: number): Mebibytes {
  return mebibytes(Math.min(value, MAX_MEBIBYTES));
}

/** The minimum of each machine of an item among several, named or not. */
export function countedOf(part: ComputePart, resource: 'cores' | 'memory'): number {
  return leastOf(part[resource], FLOOR[resource]);
}

/** Does a task have only one machine? */
export function isOneMachine(parts: readonly ComputePart[]): boolean {
  return parts.length === 1 && parts[0]?.replicas === 1;
}

/**
 * The needs of the whole task, summed over all items and replicas: what the rules see and what is
 * reserved. All GPUs have one type; the dialect refuses asks with several.
 */
export function totalsOf(parts: Ask['parts']): Pick<Ask, 'cores' | 'memory' | 'gpus'> {
  const [only] = parts;
  if (isOneMachine(parts)) return { cores: only.cores, memory: only.memory, gpus: only.gpus };
  const total = (of: (part: ComputePart) => Wanted, floor: number) =>
    sumOf(
      parts.map((part) => ({ bounds: of(part), replicas: part.replicas })),
      floor,
    );
  const [c, m] = [
    total((part) => part.cores, FLOOR.cores),
    total((part) => part.memory, FLOOR.memory),
  ];
  const count = parts.reduce((sum, part) => sum + (part.gpus?.count ?? 0) * part.replicas, 0);
  const type = parts.find((part) => part.gpus !== undefined)?.gpus?.type;
  return {
    cores: {
      min: storableCores(c.min),
      max: c.max === undefined ? undefined : storableCores(c.max),
    },
    memory: {
      min: storableSize(m.min),
      max: m.max === undefined ? undefined : storableSize(m.max),
    },
    gpus: type === undefined ? undefined : { type, count },
  };
}

/** What each machine of an item is promised. */
export type MachineShare = {
  readonly part: ComputePart;
  readonly cores: OfferRange<Millicores>;
  readonly memory: OfferRange<Mebibytes>;
  readonly gpus: ComputePart['gpus'];
};

/**
 * Divides a promise among its items: each machine gets at least its minimum and at most its
 * maximum, and all machines together no more than the whole.
 */
export function sharesOf(
  promised: Pick<Promised, 'parts' | 'cores' | 'memory' | 'gpus'>,
): readonly MachineShare[] {
  const { parts } = promised;
  if (isOneMachine(parts))
    return [
      { part: parts[0], cores: promised.cores, memory: promised.memory, gpus: promised.gpus },
    ];
  const c = rangesOf(parts, (part) => part.cores, promised.cores, FLOOR.cores);
  const m = rangesOf(parts, (part) => part.memory, promised.memory, FLOOR.memory);
  return parts.map((part, index): MachineShare => {
    const [{ min: leastCores, max: mostCores }, { min: leastMemory, max: mostMemory }] = [
      c[index] ?? { min: 0, max: 0 },
      m[index] ?? { min: 0, max: 0 },
    ];
    return {
      part,
      gpus: part.gpus,
      cores: { min: millicores(leastCores), max: millicores(mostCores) },
      memory: { min: mebibytes(leastMemory), max: mebibytes(mostMemory) },
    };
  });
}

/** One machine of a promise. */
export type PromisedMachine = {
  readonly item: string | undefined;
  /** the number of the machine within its item, from 0 */
  readonly replica: number;
  readonly replicas: number;
  readonly cores: Millicores;
  readonly memory: Mebibytes;
  /** the part that is held for it; undefined: all */
  readonly guaranteed: { readonly cores: Millicores; readonly memory: Mebibytes } | undefined;
  readonly scratch: Mebibytes;
  readonly gpus: ComputePart['gpus'];
  readonly volumes: ComputePart['volumes'];
};

/** Scratch space of all machines: each has the size of its volumes, and at least `least`. */
export function scratchOfAll(
  parts: readonly ComputePart[],
  storage: Parameters<typeof heldBy>[1],
  least: Mebibytes,
): number {
  return parts.reduce(
    (sum, part) => sum + Math.max(least, heldBy(part, storage)) * part.replicas,
    0,
  );
}

/** The scratch space that the largest step of a workflow needs, MiB; 0: nobody says. */
export function leastScratch({ task }: Pick<Ask, 'task'>): number {
  const least = isWorkflow(task) ? (workflowFactsOf(task)?.least ?? []) : [];
  return least.find(({ resource }) => resource === 'scratch')?.amount ?? 0;
}

/** The scratch space that an ask names; undefined if it leaves the size to the site. */
export function saidScratch({
  parts,
  storage,
  namesScratch,
}: Pick<Ask, 'parts' | 'storage' | 'namesScratch'>): number | undefined {
  if (!namesScratch) return undefined;
  const sizes = storage.map((item) => ({
    name: item.name,
    size: item.kind === 'kept' ? undefined : item.size,
  }));
  return isOneMachine(parts)
    ? sizes.reduce((sum, { size = 0 }) => sum + size, 0)
    : scratchOfAll(parts, sizes, mebibytes(0));
}

/** The machines of a promise, item by item, with their scratch space. @see scratchOfAll */
export function machinesOf(promised: Promised): NonEmpty<PromisedMachine> {
  const { parts, scratch, storage, burst } = promised;
  const guaranteedOf = ({
    cores,
    memory,
  }: Pick<Promised, 'cores' | 'memory'>): PromisedMachine['guaranteed'] =>
    burst ? { cores: cores.min, memory: memory.min } : undefined;
  const [only] = parts;
  if (isOneMachine(parts)) {
    return [
      {
        item: only.name,
        replica: 0,
        replicas: 1,
        cores: promised.cores.max,
        memory: promised.memory.max,
        guaranteed: guaranteedOf(promised),
        scratch,
        gpus: promised.gpus,
        volumes: only.volumes,
      },
    ];
  }
  const level = levelOf(parts, storage, scratch);
  const machines = sharesOf(promised).flatMap(({ part, cores, memory, gpus }) =>
    Array.from({ length: part.replicas }, (_, replica): PromisedMachine => ({
      item: part.name,
      replica,
      replicas: part.replicas,
      cores: cores.max,
      memory: memory.max,
      guaranteed: guaranteedOf({ cores, memory }),
      scratch: mebibytes(Math.max(level, heldBy(part, storage))),
      gpus,
      volumes: part.volumes,
    })),
  );
  if (isNonEmpty(machines)) return machines;
  throw new RangeError('nothing is promised');
}

function leastOf({ min, max }: Wanted, floor: number): number {
  return min ?? Math.min(floor, max ?? floor);
}

function sumOf(
  items: readonly { readonly bounds: Wanted; readonly replicas: number }[],
  floor: number,
): { min: number; max: number | undefined } {
  return {
    min: items.reduce((sum, { bounds, replicas }) => sum + leastOf(bounds, floor) * replicas, 0),
    max: items.every(({ bounds: { max } }) => max !== undefined)
      ? items.reduce((sum, { bounds: { max = 0 }, replicas }) => sum + max * replicas, 0)
      : undefined,
  };
}

function rangesOf(
  parts: readonly ComputePart[],
  of: (part: ComputePart) => Bounds<number>,
  { min, max }: OfferRange<number>,
  floor: number,
): readonly OfferRange<number>[] {
  const most = (part: ComputePart): number => of(part).max ?? Infinity;
  const items = parts.map((part) => ({
    base: leastOf(of(part), floor),
    most: most(part),
    replicas: part.replicas,
  }));
  const least = shareOut(items, min);
  const grown = shareOut(
    items.map((item, index) => ({ ...item, base: least[index] ?? item.base })),
    max,
  );
  return least.map((value, index) => ({ min: value, max: grown[index] ?? value }));
}

/**
 * Adds what the bases leave of the total to the items, one after the other, as far as each may
 * grow. All replicas of an item get the same.
 */
function shareOut(
  items: readonly { readonly base: number; readonly most: number; readonly replicas: number }[],
  total: number,
): readonly number[] {
  let left = total - items.reduce((sum, { base, replicas }) => sum + base * replicas, 0);
  return items.map(({ base, most, replicas }) => {
    const more = Math.max(0, Math.min(most - base, Math.floor(left / replicas)));
    left -= more * replicas;
    return base + more;
  });
}

/** Size of the volumes of an item's machine, MiB. */
function heldBy(
  { volumes }: ComputePart,
  storage: readonly { readonly name: string; readonly size?: Mebibytes | undefined }[],
): number {
  return volumes.reduce(
    (sum, { name }) => sum + (storage.find((item) => item.name === name)?.size ?? 0),
    0,
  );
}

/** The largest `least` for which {@link scratchOfAll} is within the scratch space of the whole. */
function levelOf(
  parts: Promised['parts'],
  storage: Promised['storage'],
  scratch: Mebibytes,
): Mebibytes {
  let low = 0;
  let high: number = scratch;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (scratchOfAll(parts, storage, mebibytes(middle)) <= scratch) low = middle;
    else high = middle - 1;
  }
  return mebibytes(low);
}
