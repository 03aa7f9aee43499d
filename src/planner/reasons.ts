import type { RefusalCode } from '../words/catalogue.ts';
import type { DestinationId } from '../words/ids.ts';
import type { AskPlace } from './place.ts';
import {
  isSameRefusal,
  quantityKey,
  type Alike,
  type AlikeMember,
  type Quantity,
  type Refusal,
} from './refusal.ts';

/**
 * A reason of a NO with the destinations that give it; the ask itself is wrong if there are none.
 * It is printed and kept in the words of the ask. It has nothing that only the search for `nearest`
 * needs.
 */
export type Reason = Omit<
  Refusal,
  'place' | 'destination' | 'alike' | 'detail' | 'longest' | 'left' | 'quota'
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

/** A destination has fewer than 100 reasons of one kind, so kinds do not add up to the next. */
const [LATER, CHANGED, NEVER] = [1, 100, 10_000];

/**
 * How far a destination that gives a reason is from taking the ask: it would at another time, if
 * the ask changed, or never, however small the ask is.
 */
const DISTANCES: Readonly<Record<RefusalCode, number>> = {
  'task-type-not-here': NEVER,
  'not-in-site-file': NEVER,
  'compute-type-not-here': NEVER,
  'compute-type-mismatch': NEVER,
  'gpus-not-for-type': NEVER,
  'no-parallel-jobs': NEVER,
  'required-tag-missing': NEVER,
  'tag-rejected': NEVER,
  'not-ranked': NEVER,
  'no-capacity-now': LATER,
  'no-capacity-in-window': LATER,
  'no-storage-space': LATER,
  'no-results-space': LATER,
  maintenance: LATER,
  'lead-time-too-short': LATER,
  'engine-queue-too-long': LATER,
  'try-later': LATER,
  'pool-full': LATER,
  'unknown-key': CHANGED,
  'unknown-task-type': CHANGED,
  'no-singularity': CHANGED,
  'no-connectors': CHANGED,
  'data-not-fetched': CHANGED,
  'metric-unknown': CHANGED,
  'task-spec-unknown-key': CHANGED,
  'task-spec-invalid': CHANGED,
  'notebook-invalid': CHANGED,
  'source-unread': CHANGED,
  'workflow-invalid': CHANGED,
  'workflow-reference': CHANGED,
  'interpreter-missing': NEVER,
  'interpreter-version': CHANGED,
  'below-workflow-minimum': CHANGED,
  'url-invalid': CHANGED,
  'url-forbidden': CHANGED,
  'amount-unreadable': CHANGED,
  'amount-not-positive': CHANGED,
  'amount-too-large': CHANGED,
  'minimum-above-maximum': CHANGED,
  'time-unreadable': CHANGED,
  'time-zone-missing': CHANGED,
  'time-repeats': CHANGED,
  'time-form-unsupported': CHANGED,
  'time-inverted': CHANGED,
  'too-many-times': CHANGED,
  'time-ambiguous': CHANGED,
  'time-past': CHANGED,
  'time-beyond-horizon': CHANGED,
  'duration-unreadable': CHANGED,
  'duration-not-positive': CHANGED,
  'duration-too-long': CHANGED,
  'several-gpu-types': CHANGED,
  'unknown-compute-type': CHANGED,
  'compute-block-invalid': CHANGED,
  'unknown-arch': CHANGED,
  'unknown-storage-type': CHANGED,
  'storage-incomplete': CHANGED,
  'storage-value-invalid': CHANGED,
  'storage-not-mounted': CHANGED,
  'external-read-only': CHANGED,
  'unknown-object': CHANGED,
  'name-invalid': CHANGED,
  'duplicate-name': CHANGED,
  'duplicate-object': CHANGED,
  'storage-name-invalid': CHANGED,
  'unknown-volume': CHANGED,
  'volume-mode-unknown': CHANGED,
  'volume-path-invalid': CHANGED,
  'volume-written-by-several': CHANGED,
  'environment-unknown': CHANGED,
  'environment-broken': LATER,
  'package-missing': CHANGED,
  'requirements-unmet': CHANGED,
  'package-version': CHANGED,
  'module-missing': CHANGED,
  'gpu-type-not-here': CHANGED,
  'compute-items-not-here': CHANGED,
  'arch-not-here': CHANGED,
  'task-text-too-long': CHANGED,
  'network-not-here': CHANGED,
  'storage-not-here': CHANGED,
  'lifetime-too-long': CHANGED,
  'object-ends-earlier': CHANGED,
  'disc-nearly-full': CHANGED,
  'volume-path-not-here': CHANGED,
  'above-max-accepted': CHANGED,
  'below-min-accepted': CHANGED,
  'rule-failed': CHANGED,
  'rule-error': CHANGED,
  'rule-timeout': CHANGED,
  'rule-memory': CHANGED,
  'sandbox-unavailable': CHANGED,
  'below-requested-minimum': CHANGED,
  'above-requested-maximum': CHANGED,
  'above-capacity': CHANGED,
  'below-least-memory': CHANGED,
  'size-not-offered': CHANGED,
  'cost-above-limit': CHANGED,
  'cost-unknown': CHANGED,
  'quota-exceeded': CHANGED,
  'pool-exceeded': CHANGED,
  'no-destination': CHANGED,
};

/** The fields of a reason that are in the words of the ask. */
type Written = Pick<Reason, 'path' | 'detail'>;

/** A destination, or several alike, that gives a reason. */
type Giver = { readonly destination: DestinationId; readonly alike: Alike | undefined };

type Group = { readonly first: Refusal; readonly written: Written; readonly givers: Giver[] };

/**
 * The reasons of a NO: one for each code, path and amounts, with all destinations that give it.
 * Faults of the ask itself come first, then the reasons of the destinations that are nearest to
 * taking it.
 */
export function groupedReasons(refusals: readonly Refusal[], wording: Wording): readonly Reason[] {
  const distances = distancesOf(refusals);
  const far = ({ destination }: Giver): number => distances.get(destination) ?? 0;
  return groupsOf(refusals, wording)
    .map(({ first, written, givers }) => {
      const nearestFirst = givers.toSorted((a, b) => far(a) - far(b));
      const [nearest] = nearestFirst;
      const alikeFar = Map.groupBy(nearestFirst, far).values();
      return {
        reason: { ...toldOf(first, written), destinations: [...alikeFar].flatMap(namesOf) },
        nearest: nearest === undefined ? -1 : far(nearest),
      };
    })
    .toSorted((a, b) => a.nearest - b.nearest)
    .map(({ reason }) => reason);
}

/** How far each destination is from taking the ask; those that never take such a task are farthest. */
function distancesOf(refusals: readonly Refusal[]): ReadonlyMap<DestinationId, number> {
  const found = new Map<DestinationId, number>();
  for (const { destination, code } of refusals) {
    if (destination !== undefined)
      found.set(destination, (found.get(destination) ?? 0) + DISTANCES[code]);
  }
  return found;
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
      group = groups.get(key) ?? { first: refusal, written, givers: [] };
      groups.set(key, group);
    }
    own.push(group);
    const { destination, alike } = refusal;
    if (destination !== undefined && group.givers.at(-1)?.destination !== destination)
      group.givers.push({ destination, alike });
  }
  return [...groups.values()];
}

/** The names of those that give a reason; those of groups in the order of the rule files. */
function namesOf(givers: readonly Giver[]): readonly DestinationId[] {
  const begin = givers.findIndex(isGroup);
  if (begin === -1) return givers.map(({ destination }) => destination);
  const end = givers.findLastIndex(isGroup) + 1;
  const groups = givers.slice(begin, end).map(({ alike = [] }) => alike);
  const members = groups.length === 1 ? groups.flat() : inFiles(groups.flat());
  return [
    ...namesOf(givers.slice(0, begin)),
    ...members.map(({ id }) => id),
    ...namesOf(givers.slice(end)),
  ];
}

function isGroup({ alike }: Giver): boolean {
  return alike !== undefined;
}

function inFiles(members: readonly AlikeMember[]): readonly AlikeMember[] {
  return members.toSorted((a, b) => a.place - b.place);
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
    ...[asked, needed, limit].map(quantityKey),
    when,
    detail,
  ]);
}

function toldOf(refusal: Refusal, { path, detail }: Written): Omit<Reason, 'destinations'> {
  const {
    code,
    place: _place,
    destination: _destination,
    alike: _alike,
    longest: _longest,
    left: _left,
    quota: _quota,
    detail: _detail,
    ...rest
  } = refusal;
  return { code, path, ...rest, ...(detail !== undefined && { detail }) };
}
