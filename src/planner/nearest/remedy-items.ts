import type { Flavour, Sizes, Steps } from '../../site/sizes.ts';
import type { Ask, Bounds, ComputePart } from '../ask.ts';
import { amountChange, higherMinimum, type Change, type Remedies } from './change.ts';
import { countedOf, isOneMachine } from '../judge/parts.ts';
import { partAt, type AskPlace } from '../place.ts';
import type { Quantity, Refusal } from '../refusal.ts';

type Resource = 'cores' | 'memory';

/** Fewer machines, for a resource that the ask does not name and of which all take too much. */
export function fewerOfAll({ parts }: Ask, asked: number, limit: number): Remedies {
  const all = parts.reduce((sum, { replicas }) => sum + replicas, 0);
  return fewerReplicas(parts, Math.ceil(((asked - limit) / asked) * all));
}

/**
 * Fewer machines. If the limit is one: one replica of the item, or one of several items. Otherwise
 * fewer replicas.
 */
export function fewerMachines(
  { parts }: Ask,
  place: AskPlace,
  { asked, limit }: { readonly asked: number; readonly limit: number },
): Remedies {
  if (limit > 1) return fewerReplicas(parts, asked - limit);
  if (place.what === 'replicas') return [[{ what: 'replicas', of: place.part, to: 1 }]];
  return parts.map((_, kept) =>
    parts.flatMap((_other, of): readonly Change[] =>
      of === kept ? [] : [{ what: 'item', of, to: undefined }],
    ),
  );
}

/**
 * Less of a resource over several items: one of them gives up the excess, or each gives up its
 * share. An item that names no minimum is counted with a default.
 */
export function lowerTogether(
  { parts }: Ask,
  resource: Resource,
  asked: number,
  limit: number,
): Remedies {
  const counted = parts.map((part, of) => ({
    of,
    min: countedOf(part, resource),
    replicas: part.replicas,
  }));
  const alone = counted
    .map(({ of, min, replicas }) => ({ of, to: min - Math.ceil((asked - limit) / replicas) }))
    .filter(({ to }) => to > 0)
    .map(({ of, to }) => [amountChange(resource, 'min', of, to)]);
  const sum = counted.reduce((total, { min, replicas }) => total + min * replicas, 0);
  const share = (sum - (asked - limit)) / sum;
  const each = counted.map(({ of, min }) => ({ of, to: Math.floor(min * share) }));
  const isPossible = each.length > 1 && each.every(({ to }) => to > 0);
  return [
    ...alone,
    ...(isPossible ? [each.map(({ of, to }) => amountChange(resource, 'min', of, to))] : []),
  ];
}

/**
 * The size that a refusal names, for each machine of one item; undefined if the refusal is not
 * about an item.
 */
export function otherMachine(
  { parts }: Ask,
  place: AskPlace,
  limit: Quantity | undefined,
): Remedies | undefined {
  const of = itemAt(parts, place);
  const part = parts[of];
  if (
    part === undefined ||
    limit === undefined ||
    (limit.kind !== 'cores' && limit.kind !== 'size')
  )
    return undefined;
  const resource = limit.kind === 'cores' ? 'cores' : 'memory';
  return [higherMinimum(resource, of, limit.value, part[resource].max)];
}

/** The next step of an elastic destination, for each machine of the item that is refused. */
export function otherStep(
  { parts }: Ask,
  { place, resource }: Pick<Refusal, 'place' | 'resource'>,
  sizes: Extract<Sizes, { kind: 'elastic' }>,
): Remedies {
  const of = isOneMachine(parts) ? 0 : itemAt(parts, place);
  const part = parts[of];
  if (part === undefined || (resource !== 'cores' && resource !== 'memory')) return [];
  const steps = sizes[resource];
  return steps === undefined ? [] : nearestSteps(resource, of, part[resource], steps);
}

/** A flavour for each machine of one item; undefined if the refusal is not about an item. */
export function otherFlavour(
  { parts }: Ask,
  place: AskPlace,
  flavours: readonly Flavour[],
): Remedies | undefined {
  const of = itemAt(parts, place);
  const part = parts[of];
  return (
    part &&
    flavours
      .map(({ cores, memory, gpus }): readonly Change[] => [
        ...partFitToSize(part, 'cores', of, cores),
        ...partFitToSize(part, 'memory', of, memory),
        ...(part.gpus?.type === gpus?.type && (part.gpus?.count ?? 0) <= (gpus?.count ?? 0)
          ? []
          : [{ what: 'gpu' as const, of, to: gpus }]),
      ])
      .filter((changes) => changes.length > 0)
  );
}

/** More of a resource over several items: one of them takes what is missing. */
export function raiseTogether(
  { parts }: Ask,
  resource: Resource,
  asked: number,
  limit: number,
): Remedies {
  return parts.flatMap((part, of) => {
    const { min, max } = part[resource];
    if (min === undefined) return [];
    return [higherMinimum(resource, of, min + Math.ceil((limit - asked) / part.replicas), max)];
  });
}

/** All minima halved, quartered and so on: a rule does not tell its limit. */
export function halvedTogether({ parts }: Ask): Remedies {
  return [2, 4, 8].map((divisor) =>
    parts.flatMap((part, of): readonly Change[] =>
      (['cores', 'memory'] as const).flatMap((resource) => {
        const { min } = part[resource];
        return min === undefined
          ? []
          : [amountChange(resource, 'min', of, Math.ceil(min / divisor))];
      }),
    ),
  );
}

/** Fewer GPUs over several items: one of the items gives up the excess, or all do without. */
export function fewerGpusTogether({ parts }: Ask, asked: number, limit: number): Remedies {
  const having = parts.flatMap(({ gpus, replicas }, of) =>
    gpus === undefined ? [] : [{ of, gpus, replicas }],
  );
  const alone = having.flatMap(({ of, gpus: { type, count }, replicas }): Remedies => {
    const to = count - Math.ceil((asked - limit) / replicas);
    return to < 0 ? [] : [[{ what: 'gpu', of, to: to === 0 ? undefined : { type, count: to } }]];
  });
  return [...alone, having.map(({ of }): Change => ({ what: 'gpu', of, to: undefined }))];
}

/** Only the machine that needs least of several. @param isShortOfGpus it does without GPUs */
export function onlyLightest({ parts }: Ask, isShortOfGpus: boolean): readonly Change[] {
  const weights = parts.map(weightOf);
  const of = weights.indexOf(Math.min(...weights));
  const part = parts[of];
  return [
    ...(part !== undefined && part.replicas > 1 ? [{ what: 'replicas' as const, of, to: 1 }] : []),
    ...(part?.gpus !== undefined && isShortOfGpus
      ? [{ what: 'gpu' as const, of, to: undefined }]
      : []),
    ...parts.flatMap((_, other): readonly Change[] =>
      other === of ? [] : [{ what: 'item', of: other, to: undefined }],
    ),
  ];
}

type Counted = 'parts' | 'storage' | 'windows' | 'costs' | 'task';

/** What each change counts with its `of`. */
const COUNTED: Readonly<Record<Change['what'], Counted>> = {
  cores: 'parts',
  memory: 'parts',
  gpu: 'parts',
  replicas: 'parts',
  item: 'parts',
  size: 'storage',
  lifetime: 'storage',
  start: 'windows',
  duration: 'windows',
  cost: 'costs',
  environment: 'task',
  requirement: 'task',
};

/** Without the changes of items that other changes leave out. */
export function withoutChangesOfLost(ask: Ask, changes: readonly Change[]): readonly Change[] {
  const lost = lostBy(ask, changes);
  return changes.filter(({ what, of }) => what === 'item' || !lost[COUNTED[what]].has(of));
}

/**
 * Changes of an ask that has lost items, as changes of the original ask, where items have other
 * places.
 */
export function asChangesOfOriginal(
  ask: Ask,
  before: readonly Change[],
  more: readonly Change[],
): readonly Change[] {
  const lost = lostBy(ask, before);
  const placesOf = (kind: Exclude<Counted, 'task'>): readonly number[] =>
    ask[kind].flatMap((_, of) => (lost[kind].has(of) ? [] : [of]));
  const places = {
    parts: placesOf('parts'),
    storage: placesOf('storage'),
    windows: placesOf('windows'),
    costs: placesOf('costs'),
    // What a task needs has its place in the task, which loses nothing.
    task: [],
  };
  return more.map((change) => ({
    ...change,
    of: places[COUNTED[change.what]][change.of] ?? change.of,
  }));
}

/** Fewer replicas of one item. */
function fewerReplicas(parts: Ask['parts'], less: number): Remedies {
  return parts.flatMap(({ replicas }, of) =>
    replicas > less ? [[{ what: 'replicas' as const, of, to: replicas - less }]] : [],
  );
}

/** The item that a refusal is about, or -1; an ask with one machine has no items. */
function itemAt(parts: Ask['parts'], place: AskPlace): number {
  return isOneMachine(parts) ? -1 : (partAt(place) ?? -1);
}

/** The largest step within the maximum, as minimum; or a maximum with room for the next step. */
function nearestSteps(
  resource: Resource,
  of: number,
  { min, max }: Bounds<number>,
  { min: least, max: most, step = 1 }: Steps<number>,
): Remedies {
  const below = (value: number): number => least + Math.floor((value - least) / step) * step;
  const smaller = below(Math.min(most, max ?? most));
  const larger =
    min === undefined || min <= least ? least : least + Math.ceil((min - least) / step) * step;
  return [
    ...(min !== undefined && smaller >= least && smaller < min
      ? [[amountChange(resource, 'min', of, smaller)]]
      : []),
    ...(max !== undefined && larger <= most && larger > max
      ? [[amountChange(resource, 'max', of, larger)]]
      : []),
  ];
}

/** The changes that let an item's bounds include a size. */
function partFitToSize(
  part: ComputePart,
  resource: Resource,
  of: number,
  size: number,
): readonly Change[] {
  const { max } = part[resource];
  return [
    ...(countedOf(part, resource) > size ? [amountChange(resource, 'min', of, size)] : []),
    ...(max !== undefined && max < size ? [amountChange(resource, 'max', of, size)] : []),
  ];
}

/** How much a machine of an item needs; the lightest is the likeliest to find room. */
function weightOf(part: ComputePart): number {
  return (
    countedOf(part, 'cores') / 1000 +
    countedOf(part, 'memory') / 1024 +
    (part.gpus === undefined ? 0 : 100 * part.gpus.count) +
    part.volumes.length +
    (part.replicas > 1 ? 1 : 0)
  );
}

/** What changes leave out: items, and storage that no other items mount. */
function lostBy(
  { parts, storage }: Ask,
  changes: readonly Change[],
): Readonly<Record<Counted, ReadonlySet<number>>> {
  const lost = new Set(changes.flatMap(({ what, of }) => (what === 'item' ? [of] : [])));
  const mountedBy = (some: readonly ComputePart[]): ReadonlySet<string> =>
    new Set(some.flatMap(({ volumes }) => volumes.map(({ name }) => name)));
  const [before, after] = [mountedBy(parts), mountedBy(parts.filter((_, of) => !lost.has(of)))];
  return {
    parts: lost,
    storage: new Set(
      storage.flatMap(({ name }, of) => (before.has(name) && !after.has(name) ? [of] : [])),
    ),
    windows: new Set(),
    costs: new Set(),
    task: new Set(),
  };
}
