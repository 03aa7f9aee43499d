import type { DestinationId } from '../words/ids.ts';
import { areSameRefusals, type Refusal } from './refusal.ts';

/**
 * The reasons of a NO as they are kept. A thousand destinations say the same of most asks, so what they say is written once:
 * as 1,000 reasons a record took 200 kB, and more of the database's time than all the rest of a NO.
 */
export type KeptRefusals = {
  readonly lists: readonly (readonly Refusal[])[];
  /** in the order of the answer: a destination, or null for reasons that are nobody's, and the number of its list */
  readonly of: readonly (readonly [DestinationId | null, number])[];
};

/** Where every destination says something else, looking further would cost more than what it saves. */
const MOST_LOOKED_AT = 16;

const ofNobody = (refusal: Refusal): Refusal => {
  const { destination, ...rest } = refusal;
  return destination === undefined ? refusal : rest;
};

/** Where the reasons of one destination end that begin at a place. */
const endOf = (refusals: readonly Refusal[], from: number): number => {
  let end = from + 1;
  while (end < refusals.length && refusals[end]?.destination === refusals[from]?.destination) end += 1;
  return end;
};

/** The number of a list that says the same, or -1. */
const numberOf = (lists: readonly (readonly Refusal[])[], list: readonly Refusal[]): number => {
  for (let number = lists.length - 1; number >= 0 && number >= lists.length - MOST_LOOKED_AT; number -= 1) {
    if (areSameRefusals(lists[number] ?? [], list)) return number;
  }
  return -1;
};

/** See {@link unpack}. */
export const pack = (refusals: readonly Refusal[]): KeptRefusals => {
  const lists: (readonly Refusal[])[] = [];
  const of: (readonly [DestinationId | null, number])[] = [];
  for (let from = 0; from < refusals.length;) {
    const end = endOf(refusals, from);
    const list = refusals.slice(from, end);
    const known = numberOf(lists, list);
    of.push([list[0]?.destination ?? null, known === -1 ? lists.push(list.map(ofNobody)) - 1 : known]);
    from = end;
  }
  return { lists, of };
};

/** The reasons again, in their order. */
export const unpack = ({ lists, of }: KeptRefusals): readonly Refusal[] => of.flatMap(([destination, number]) =>
  (lists[number] ?? []).map((one): Refusal => (destination === null ? one : { ...one, destination })));
