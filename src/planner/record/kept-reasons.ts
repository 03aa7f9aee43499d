import type { DestinationId } from '../../words/ids.ts';
import type { AmountBound, Change } from '../nearest/change.ts';
import type { NearestAsk } from '../nearest/nearest.ts';
import { groupedReasons, type Reason, type Wording } from '../reasons.ts';
import type { Refusal } from '../refusal.ts';

/**
 * What is kept of a NO: its reasons, and what would have been a YES. Records of earlier versions
 * have each reason of each destination.
 */
export type Reasons =
  | ((KeptReasons | KeptLists) & { readonly nearest?: KeptNearest })
  | readonly KeptRefusal[]
  | { readonly refusals: readonly KeptRefusal[]; readonly nearest: KeptNearest };

/**
 * The reasons of a NO as they are kept. A thousand destinations say the same of most asks, so a
 * record has each reason once. The names of the rule files are kept once for all asks: in each
 * record they took three quarters of the database's time for a NO.
 */
type KeptReasons = {
  /** how many names of the rule files come before the names of the record; absent: none */
  readonly ofRules?: number;
  /** where a record is read, the names of the rule files are among them */
  readonly destinations: readonly DestinationId[];
  readonly reasons: readonly (Omit<Reason, 'destinations'> & { readonly at: Ranges })[];
};

/**
 * Which of the names give a reason: `0-12,15`. One text takes less space and time of the database
 * than a list of numbers, which earlier versions kept: the first and the last of each range.
 */
type Ranges = string | readonly number[];

/** A refusal as earlier versions kept it: in the words in which the client read it. */
export type KeptRefusal = Omit<Refusal, 'place' | 'detail'> & Pick<Reason, 'path' | 'detail'>;

/** What earlier versions kept: lists of reasons, and which list each destination gave, in order. */
type KeptLists = {
  readonly lists: readonly (readonly KeptRefusal[])[];
  readonly of: readonly (readonly [DestinationId | null, number])[];
};

/** The nearest ask as it is kept: `min-cores` is one word, in this version as in those before. */
type KeptNearest = Pick<NearestAsk, 'destination'> & { readonly changes: readonly KeptChange[] };

type AmountChange = Extract<Change, { bound: AmountBound }>;
type KeptAmount<One extends AmountChange> = One extends AmountChange
  ? Omit<One, 'what' | 'bound'> & { readonly what: `${AmountBound}-${One['what']}` }
  : never;
type KeptChange = Exclude<Change, AmountChange> | KeptAmount<AmountChange>;

/** What a record says of a NO. */
export function reasonsOf(kept: Reasons): {
  readonly reasons: readonly Reason[];
  readonly nearest: NearestAsk | undefined;
} {
  const nearest = 'nearest' in kept ? nearestOf(kept.nearest) : undefined;
  if ('reasons' in kept) return { reasons: unpack(kept), nearest };
  if ('lists' in kept) return { reasons: unpackLists(kept), nearest };
  return { reasons: groupKept('refusals' in kept ? kept.refusals : kept), nearest };
}

/**
 * Packs reasons for a record.
 * @param ofRules the numbers of the names in the rule files, from 0
 * @see unpack
 */
export function pack(
  reasons: readonly Reason[],
  ofRules: ReadonlyMap<string, number> = new Map(),
): KeptReasons {
  const others = new Map<DestinationId, number>();
  const numberOf = (destination: DestinationId): number => {
    const known = ofRules.get(destination) ?? others.get(destination);
    if (known !== undefined) return known;
    const number = ofRules.size + others.size;
    others.set(destination, number);
    return number;
  };
  const kept = reasons.map(({ destinations, ...reason }) => ({
    ...reason,
    at: rangesOf(destinations.map(numberOf)),
  }));
  return {
    ...(ofRules.size > 0 && { ofRules: ofRules.size }),
    destinations: [...others.keys()],
    reasons: kept,
  };
}

/** The reasons again, in their order. */
export function unpack({ destinations, reasons }: KeptReasons): readonly Reason[] {
  return reasons.map(({ at, ...reason }): Reason => ({
    ...reason,
    destinations: pairsOf(at).flatMap(([from, to]) => destinations.slice(from, to + 1)),
  }));
}

/** The reasons of a record that has lists of them. */
export function unpackLists({ lists, of }: KeptLists): readonly Reason[] {
  return groupKept(
    of.flatMap(([destination, number]) =>
      (lists[number] ?? []).map((one): KeptRefusal =>
        destination === null ? one : { ...one, destination },
      ),
    ),
  );
}

export function keptNearest({ destination, changes }: NearestAsk): KeptNearest {
  return { destination, changes: changes.map(keptChange) };
}

/** The reasons of a record that has each reason of each destination. */
function groupKept(refusals: readonly KeptRefusal[]): readonly Reason[] {
  return groupedReasons(
    refusals.map(({ path, ...rest }) => ({ ...rest, place: { what: 'written', path } })),
    AS_KEPT,
  );
}

/** Records keep places and details in words already. */
const AS_KEPT: Wording = {
  pathOf: (place) => ('path' in place ? place.path : place.what),
  amountOf: ({ value }) => `${value}`,
};

function rangesOf(numbers: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last?.[1] === number - 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(',');
}

/** The first and the last of each range. */
function pairsOf(at: Ranges): readonly (readonly [number, number])[] {
  if (typeof at !== 'string')
    return at.flatMap((from, index) => (index % 2 === 0 ? [[from, at[index + 1] ?? from]] : []));
  return at === ''
    ? []
    : at.split(',').map((range) => {
        const [from = 0, to = from] = range.split('-').map(Number);
        return [from, to];
      });
}

function keptChange(change: Change): KeptChange {
  switch (change.what) {
    case 'cores':
      return { what: `${change.bound}-cores`, of: change.of, to: change.to };
    case 'memory':
      return { what: `${change.bound}-memory`, of: change.of, to: change.to };
    default:
      return change;
  }
}

function nearestOf({ destination, changes }: KeptNearest): NearestAsk {
  return { destination, changes: changes.map(changeOf) };
}

function changeOf(kept: KeptChange): Change {
  switch (kept.what) {
    case 'min-cores':
      return { what: 'cores', bound: 'min', of: kept.of, to: kept.to };
    case 'max-cores':
      return { what: 'cores', bound: 'max', of: kept.of, to: kept.to };
    case 'min-memory':
      return { what: 'memory', bound: 'min', of: kept.of, to: kept.to };
    case 'max-memory':
      return { what: 'memory', bound: 'max', of: kept.of, to: kept.to };
    default:
      return kept;
  }
}
