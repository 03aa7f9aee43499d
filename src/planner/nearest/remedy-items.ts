import type { Flavour, Sizes, Steps } from '../../site/sizes.ts';
import { mebibytes, millicores } from '../../words/units.ts';
import type { Ask, Bounds, ComputePart } from '../ask.ts';
import type { Change } from './change.ts';
import { countedOf, isOneMachine } from '../judge/parts.ts';
import { partAt, type AskPlace } from '../place.ts';
import type { Quantity, Refusal } from '../refusal.ts';

type Alternatives = readonly (readonly Change[])[];
type Resource = 'cores' | 'memory';

/** Fewer machines where all together have too much of something that nobody asked for. */
export function fewerOfAll({ parts }: Ask, asked: number, limit: number): Alternatives {
  const all = parts.reduce((sum, { replicas }) => sum + replicas, 0);
  return fewerReplicas(parts, Math.ceil(((asked - limit) / asked) * all));
}

/**
 * For a task that runs on one machine: no replicas of an item, or one of several items and not the
 * others. Where there are too many: fewer replicas.
 */
export function fewerMachines(
  { parts }: Ask,
  place: AskPlace,
  { asked, limit }: { readonly asked: number; readonly limit: number },
): Alternatives {
  if (limit > 1) return fewerReplicas(parts, asked - limit);
  if (place.what === 'replicas') return [[{ what: 'replicas', of: place.part, to: 1 }]];
  return parts.map((_, kept) =>
    parts.flatMap((_other, of): readonly Change[] =>
      of === kept ? [] : [{ what: 'item', of, to: undefined }],
    ),
  );
}

/**
 * Less of all items together: one of them gives up the excess, or each gives up its share. What an
 * item is counted with it may not have named.
 */
export function lowerTogether(
  { parts }: Ask,
  resource: Resource,
  asked: number,
  limit: number,
): Alternatives {
  const counted = parts.map((part, of) => ({
    of,
    min: countedOf(part, resource),
    replicas: part.replicas,
  }));
  const alone = counted
    .map(({ of, min, replicas }) => ({ of, to: min - Math.ceil((asked - limit) / replicas) }))
    .filter(({ to }) => to > 0)
    .map(({ of, to }) => [bound(resource, 'min', of, to)]);
  const sum = counted.reduce((total, { min, replicas }) => total + min * replicas, 0);
  const share = (sum - (asked - limit)) / sum;
  const each = counted.map(({ of, min }) => ({ of, to: Math.floor(min * share) }));
  const isPossible = each.length > 1 && each.every(({ to }) => to > 0);
  return [
    ...alone,
    ...(isPossible ? [each.map(({ of, to }) => bound(resource, 'min', of, to))] : []),
  ];
}

/**
 * Another size for each machine of one item, as large as a refusal says; undefined
 * when it is about something else.
 */
export function otherMachine(
  { parts }: Ask,
  place: AskPlace,
  limit: Quantity | undefined,
): Alternatives | undefined {
  const of = itemAt(parts, place);
  const part = parts[of];
  if (
    part === undefined ||
    limit === undefined ||
    (limit.kind !== 'cores' && limit.kind !== 'size')
  )
    return undefined;
  const resource = limit.kind === 'cores' ? 'cores' : 'memory';
  const { max } = part[resource];
  return [
    [
      bound(resource, 'min', of, limit.value),
      ...(max !== undefined && max < limit.value ? [bound(resource, 'max', of, limit.value)] : []),
    ],
  ];
}

/** The same for the machines of the item that a refusal is about, or the only one. */
export function otherStep(
  { parts }: Ask,
  { place, resource }: Pick<Refusal, 'place' | 'resource'>,
  sizes: Extract<Sizes, { kind: 'elastic' }>,
): Alternatives {
  const of = isOneMachine(parts) ? 0 : itemAt(parts, place);
  const part = parts[of];
  if (part === undefined || (resource !== 'cores' && resource !== 'memory')) return [];
  const steps = sizes[resource];
  return steps === undefined ? [] : inSteps(resource, of, part[resource], steps);
}

/** A flavour for each machine of one item; undefined when a refusal is about something else. */
export function otherFlavour(
  { parts }: Ask,
  place: AskPlace,
  flavours: readonly Flavour[],
): Alternatives | undefined {
  const of = itemAt(parts, place);
  const part = parts[of];
  return (
    part &&
    flavours
      .map(({ cores, memory, gpus }): readonly Change[] => [
        ...fitted(part, 'cores', of, cores),
        ...fitted(part, 'memory', of, memory),
        ...(part.gpus?.type === gpus?.type && (part.gpus?.count ?? 0) <= (gpus?.count ?? 0)
          ? []
          : [{ what: 'gpu' as const, of, to: gpus }]),
      ])
      .filter((changes) => changes.length > 0)
  );
}

/** More of all items together: one of them takes what is missing, and its maximum along. */
export function raiseTogether(
  { parts }: Ask,
  resource: Resource,
  asked: number,
  limit: number,
): Alternatives {
  return parts.flatMap((part, of) => {
    const { min, max } = boundsOf(part, resource);
    if (min === undefined) return [];
    const to = min + Math.ceil((limit - asked) / part.replicas);
    return [
      [
        bound(resource, 'min', of, to),
        ...(max !== undefined && max < to ? [bound(resource, 'max', of, to)] : []),
      ],
    ];
  });
}

/** All minimums of all items halved so many times; where nobody tells what would be enough. */
export function halvedTogether({ parts }: Ask): Alternatives {
  return [2, 4, 8].map((divisor) =>
    parts.flatMap((part, of): readonly Change[] =>
      (['cores', 'memory'] as const).flatMap((resource) => {
        const { min } = boundsOf(part, resource);
        return min === undefined ? [] : [bound(resource, 'min', of, Math.ceil(min / divisor))];
      }),
    ),
  );
}

/**
 * Fewer GPUs of one type over several items: one of the items gives up
 * the excess, or all do without.
 */
export function fewerGpusTogether({ parts }: Ask, asked: number, limit: number): Alternatives {
  const having = parts.flatMap(({ gpus, replicas }, of) =>
    gpus === undefined ? [] : [{ of, gpus, replicas }],
  );
  const alone = having.flatMap(
    ({ of, gpus: { type, count }, replicas }): readonly (readonly Change[])[] => {
      const to = count - Math.ceil((asked - limit) / replicas);
      return to < 0 ? [] : [[{ what: 'gpu', of, to: to === 0 ? undefined : { type, count: to } }]];
    },
  );
  return [...alone, having.map(({ of }): Change => ({ what: 'gpu', of, to: undefined }))];
}

/** Of several machines the one that needs least, alone. @param isShortOfGpus it does without any */
export function lightestAlone({ parts }: Ask, isShortOfGpus: boolean): readonly Change[] {
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

const IN_PARTS: ReadonlySet<Change['what']> = new Set([
  'cores',
  'memory',
  'gpu',
  'replicas',
  'item',
]);

const IN_STORAGE: ReadonlySet<Change['what']> = new Set(['size', 'lifetime']);

/** What is changed in an item that is left out is no change. */
export function withoutLost(ask: Ask, changes: readonly Change[]): readonly Change[] {
  const lost = leftOut(changes);
  const stored = lost.size === 0 ? lost : lostStorage(ask, lost);
  return changes.filter(
    ({ what, of }) =>
      what === 'item' ||
      !((IN_PARTS.has(what) && lost.has(of)) || (IN_STORAGE.has(what) && stored.has(of))),
  );
}

/**
 * Changes of what is left of an ask as changes of the ask itself, whose items have other places.
 */
export function inOriginal(
  ask: Ask,
  before: readonly Change[],
  more: readonly Change[],
): readonly Change[] {
  const lost = leftOut(before);
  if (lost.size === 0) return more;
  const stored = lostStorage(ask, lost);
  const placesOf = (all: readonly unknown[], gone: ReadonlySet<number>): readonly number[] =>
    all.flatMap((_, of) => (gone.has(of) ? [] : [of]));
  const [parts, storage] = [placesOf(ask.parts, lost), placesOf(ask.storage, stored)];
  const original = ({ what, of }: Change): number =>
    (IN_PARTS.has(what) ? parts[of] : IN_STORAGE.has(what) ? storage[of] : of) ?? of;
  return more.map((change) => ({ ...change, of: original(change) }));
}

/** So many machines fewer, of one item or another. */
function fewerReplicas(parts: Ask['parts'], less: number): Alternatives {
  return parts.flatMap(({ replicas }, of) =>
    replicas > less ? [[{ what: 'replicas' as const, of, to: replicas - less }]] : [],
  );
}

function bound(resource: Resource, which: 'min' | 'max', of: number, to: number): Change {
  return resource === 'cores'
    ? { what: resource, bound: which, of, to: millicores(to) }
    : { what: resource, bound: which, of, to: mebibytes(to) };
}

/** The item that a refusal is about, when it is about one of several machines. */
function itemAt(parts: Ask['parts'], place: AskPlace): number {
  return isOneMachine(parts) ? -1 : (partAt(place) ?? -1);
}

/**
 * For a destination that hands sizes out in steps: the largest of them within a bound of the ask,
 * or a maximum that leaves room for the next.
 */
function inSteps(
  resource: Resource,
  of: number,
  { min, max }: Bounds<number>,
  { min: least, max: most, step = 1 }: Steps<number>,
): Alternatives {
  const below = (value: number): number => least + Math.floor((value - least) / step) * step;
  const smaller = below(Math.min(most, max ?? most));
  const larger =
    min === undefined || min <= least ? least : least + Math.ceil((min - least) / step) * step;
  return [
    ...(min !== undefined && smaller >= least && smaller < min
      ? [[bound(resource, 'min', of, smaller)]]
      : []),
    ...(max !== undefined && larger <= most && larger > max
      ? [[bound(resource, 'max', of, larger)]]
      : []),
  ];
}

/** What keeps a bound of an item from a size. */
function fitted(
  part: ComputePart,
  resource: Resource,
  of: number,
  size: number,
): readonly Change[] {
  const { max } = boundsOf(part, resource);
  return [
    ...(countedOf(part, resource) > size ? [bound(resource, 'min', of, size)] : []),
    ...(max !== undefined && max < size ? [bound(resource, 'max', of, size)] : []),
  ];
}

function boundsOf(part: ComputePart, resource: Resource): Bounds<number> {
  return part[resource];
}

/**
 * What one machine of an item asks for, against what all of them do: the lightest
 * is the likeliest to find room.
 */
function weightOf(part: ComputePart): number {
  return (
    countedOf(part, 'cores') / 1000 +
    countedOf(part, 'memory') / 1024 +
    (part.gpus === undefined ? 0 : 100 * part.gpus.count) +
    part.volumes.length +
    (part.replicas > 1 ? 1 : 0)
  );
}

/** Items that these changes leave out. */
function leftOut(changes: readonly Change[]): ReadonlySet<number> {
  return new Set(changes.flatMap(({ what, of }) => (what === 'item' ? [of] : [])));
}

/** Storage that only items mount which are left out, and which is left out with them. */
function lostStorage({ parts, storage }: Ask, lost: ReadonlySet<number>): ReadonlySet<number> {
  const mountedBy = (some: readonly ComputePart[]): ReadonlySet<string> =>
    new Set(some.flatMap(({ volumes }) => volumes.map(({ name }) => name)));
  const [before, after] = [mountedBy(parts), mountedBy(parts.filter((_, of) => !lost.has(of)))];
  return new Set(
    storage.flatMap(({ name }, of) => (before.has(name) && !after.has(name) ? [of] : [])),
  );
}
