import type { RefusalCode } from '../words/catalogue.ts';
import type { DestinationId } from '../words/ids.ts';
import type { AskPlace } from './place.ts';
import { isSameRefusal, type Quantity, type Refusal } from './refusal.ts';

/**
 * A reason of a NO with the destinations that give it; the ask itself is wrong if there are none.
 * It is printed and kept in the words of the ask. It has nothing that only the search for `nearest`
 * needs.
 */
export type Reason = Omit<
  Refusal,
  'place' | 'destination' | 'detail' | 'longest' | 'left' | 'quota'
> & {
  /** where it stands in the client's document, in the words of the dialect */
  readonly path: string;
  readonly detail?: string;
  readonly destinations: readonly DestinationId[];
};

/** How the dialect of an ask writes a place of the client's document, and an amount. */
export type Wording = {
  readonly pathOf: (place: AskPlace) => string;
  readonly amountOf: (quantity: Quantity) => string;
};

/** A destination that says one of these never takes such a task, however small. */
const NEVER_TAKEN: ReadonlySet<RefusalCode> = new Set<RefusalCode>([
  'task-type-not-here',
  'not-in-site-file',
  'compute-type-not-here',
  'compute-type-mismatch',
  'gpus-not-for-type',
  'required-tag-missing',
  'tag-rejected',
  'not-ranked',
]);
/** A destination that says one of these would take the task at another time. */
const TAKEN_LATER: ReadonlySet<RefusalCode> = new Set<RefusalCode>([
  'no-capacity-now',
  'no-capacity-in-window',
  'no-storage-space',
  'no-results-space',
  'maintenance',
  'lead-time-too-short',
  'engine-queue-too-long',
  'try-later',
  'pool-full',
]);

/** The fields of a reason that are in the words of the ask. */
type Written = Pick<Reason, 'path' | 'detail'>;

type Group = {
  readonly first: Refusal;
  readonly written: Written;
  readonly destinations: DestinationId[];
};

/**
 * The reasons of a NO: one for each code, path and amounts, with all destinations that give it.
 * Faults of the ask itself come first, then the reasons of the destinations that are nearest to
 * taking it.
 */
export function groupedReasons(refusals: readonly Refusal[], wording: Wording): readonly Reason[] {
  const distances = distancesOf(refusals);
  const far = (destination: DestinationId): number => distances.get(destination) ?? 0;
  return groupsOf(refusals, wording)
    .map(({ first, written, destinations }): Reason => ({
      ...toldOf(first, written),
      destinations: destinations.toSorted((a, b) => far(a) - far(b)),
    }))
    .map((reason) => ({
      reason,
      nearest: reason.destinations[0] === undefined ? -1 : far(reason.destinations[0]),
    }))
    .toSorted((a, b) => a.nearest - b.nearest)
    .map(({ reason }) => reason);
}

/** How far each destination is from taking the ask; those that never take such a task are farthest. */
function distancesOf(refusals: readonly Refusal[]): ReadonlyMap<DestinationId, number> {
  const found = new Map<DestinationId, number>();
  for (const { destination, code } of refusals) {
    if (destination !== undefined)
      found.set(destination, (found.get(destination) ?? 0) + weightOf(code));
  }
  return found;
}

/** A destination has fewer than 100 reasons of one kind, so kinds do not add up to the next. */
function weightOf(code: RefusalCode): number {
  return NEVER_TAKEN.has(code) ? 10_000 : TAKEN_LATER.has(code) ? 1 : 100;
}

/**
 * Groups equal refusals. At most sites a destination's n-th refusal equals the n-th of the
 * destination before it, and that comparison is cheaper than a key.
 */
function groupsOf(refusals: readonly Refusal[], wording: Wording): readonly Group[] {
  const groups = new Map<string, Group>();
  let [before, own]: [Group[], Group[]] = [[], []];
  let whose: DestinationId | undefined;
  for (const refusal of refusals) {
    if (refusal.destination !== whose) [before, own, whose] = [own, [], refusal.destination];
    const likely = before[own.length];
    let group =
      likely?.first.destination !== undefined &&
      refusal.destination !== undefined &&
      isSameRefusal(likely.first, refusal)
        ? likely
        : undefined;
    if (group === undefined) {
      const written = writtenIn(wording, refusal);
      const key = identityOf(refusal, written);
      group = groups.get(key) ?? { first: refusal, written, destinations: [] };
      groups.set(key, group);
    }
    own.push(group);
    if (refusal.destination !== undefined && group.destinations.at(-1) !== refusal.destination)
      group.destinations.push(refusal.destination);
  }
  return [...groups.values()];
}

function writtenIn({ pathOf, amountOf }: Wording, { place, detail }: Refusal): Written {
  const path = pathOf(place);
  if (detail === undefined) return { path };
  if (typeof detail === 'string') return { path, detail };
  return {
    path,
    detail: detail.map((part) => (typeof part === 'string' ? part : amountOf(part))).join(''),
  };
}

function identityOf(
  { code, destination, resource, asked, needed, limit, when }: Refusal,
  { path, detail }: Written,
): string {
  return JSON.stringify([
    destination === undefined,
    code,
    path,
    resource,
    keyOf(asked),
    keyOf(needed),
    keyOf(limit),
    when,
    detail,
  ]);
}

function keyOf(quantity: Quantity | undefined): string {
  return quantity === undefined ? '' : `${quantity.kind}${quantity.value}`;
}

function toldOf(refusal: Refusal, { path, detail }: Written): Omit<Reason, 'destinations'> {
  const {
    code,
    place: _place,
    destination: _destination,
    longest: _longest,
    left: _left,
    quota: _quota,
    detail: _detail,
    ...rest
  } = refusal;
  return { code, path, ...rest, ...(detail === undefined ? {} : { detail }) };
}
