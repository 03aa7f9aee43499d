import type { DestinationId } from '../../words/ids.ts';
import { groupedReasons, type Reason, type Wording } from '../reasons.ts';
import type { Refusal } from '../refusal.ts';

/**
 * Which of the names of a record give a reason: pairs of the first and the last of
 * those that stand beside each other.
 */
type Places = readonly number[];

/**
 * The reasons of a NO as they are kept. A thousand destinations say the same of most asks, so what
 * they say is written once, and their names once for all reasons: as 1,000 reasons a record took
 * 200 kB, and more of the database's time than all the rest of a NO.
 */
export type KeptReasons = {
  readonly destinations: readonly DestinationId[];
  readonly reasons: readonly (Omit<Reason, 'destinations'> & { readonly at: Places })[];
};

/** A refusal as earlier versions kept it: in the words in which it was told. */
export type KeptRefusal = Omit<Refusal, 'place' | 'detail'> & Pick<Reason, 'path' | 'detail'>;

/**
 * What earlier versions kept: lists of reasons, and in the order of the answer whose list is which.
 */
export type KeptLists = {
  readonly lists: readonly (readonly KeptRefusal[])[];
  readonly of: readonly (readonly [DestinationId | null, number])[];
};

/** See {@link unpack}. */
export function pack(reasons: readonly Reason[]): KeptReasons {
  const numbers = new Map<DestinationId, number>();
  const numberOf = (destination: DestinationId): number => {
    const known = numbers.get(destination) ?? numbers.size;
    numbers.set(destination, known);
    return known;
  };
  const kept = reasons.map(({ destinations, ...reason }) => ({
    ...reason,
    at: placesOf(destinations.map(numberOf)),
  }));
  return { destinations: [...numbers.keys()], reasons: kept };
}

/** The reasons again, in their order. */
export function unpack({ destinations, reasons }: KeptReasons): readonly Reason[] {
  return reasons.map(({ at, ...reason }): Reason => ({
    ...reason,
    destinations: at.flatMap((from, index) =>
      index % 2 === 0 ? destinations.slice(from, (at[index + 1] ?? from) + 1) : [],
    ),
  }));
}

/** Their places are words already, and so is what is said besides. */
const AS_KEPT: Wording = {
  pathOf: (place) => ('path' in place ? place.path : place.what),
  amountOf: ({ value }) => `${value}`,
};

/** The reasons of a record of an earlier version, which kept each of each destination. */
export function groupKept(refusals: readonly KeptRefusal[]): readonly Reason[] {
  return groupedReasons(
    refusals.map(({ path, ...rest }) => ({ ...rest, place: { what: 'written', path } })),
    AS_KEPT,
  );
}

/** Those of one that kept lists of them. */
export function unpackLists({ lists, of }: KeptLists): readonly Reason[] {
  return groupKept(
    of.flatMap(([destination, number]) =>
      (lists[number] ?? []).map((one): KeptRefusal =>
        destination === null ? one : { ...one, destination },
      ),
    ),
  );
}

function placesOf(numbers: readonly number[]): Places {
  const places: number[] = [];
  for (const number of numbers) {
    if (places.at(-1) === number - 1) places[places.length - 1] = number;
    else places.push(number, number);
  }
  return places;
}
