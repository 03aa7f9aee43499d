import type { Forecasts } from '../../schedule/forecasts.ts';
import type { Instant } from '../../schedule/interval.ts';
import type { Taken } from '../../schedule/profile.ts';
import type { ResultsUsed } from '../../schedule/results.ts';
import type { Site } from '../../site/site.ts';
import { isNonEmpty, type NonEmpty } from '../../words/ids.ts';
import type { Ask } from '../ask.ts';
import type { PlanShortlist } from '../judge/shortlist.ts';
import type { StoreBook } from './stored.ts';
import type { Proposal } from '../offer.ts';
import type { Refusal } from '../refusal.ts';
import { roomAt, type RoomAtDestination } from './book-summary.ts';
import { destinationAt, fittingAt, largerThan, laterThan, type Fitting } from './fit.ts';
import { refusalsOf } from './no-start.ts';
import { openWindows } from './windows.ts';

/** YES with at least one proposal, or NO with at least one reason. */
export type Plan =
  | {
      readonly result: 'YES';
      readonly proposals: NonEmpty<Proposal>;
      /** of each destination that has an offer or could have one */
      readonly rooms: readonly RoomAtDestination[];
      /** why destinations without room have no offer, as far as the planner looked */
      readonly unfit: readonly Refusal[];
    }
  | { readonly result: 'NO'; readonly refusals: NonEmpty<Refusal> };

/** What is reserved from now on, by destination, and the database's time when it was read. */
export type Book = {
  readonly now: Instant;
  readonly taken: ReadonlyMap<string, readonly Taken[]>;
  /** what is reserved of the site's storage, when the ask stores anything */
  readonly stores?: StoreBook;
  /** what is used of the pools of results, when it was read */
  readonly results?: ReadonlyMap<string, ResultsUsed>;
  /** what the engines say of their queues */
  readonly forecasts?: Forecasts;
};

type More = (one: Fitting) => readonly Proposal[];

/** How many earliest offers precede the larger and later variants. */
const FIRSTS = 2;

/**
 * The answer to an ask by this book: the first possible start at the destinations that the rules
 * prefer, then larger and later variants as the ask allows. At most `max-offers`, sorted by the
 * rules' preference, then by start.
 */
export function plan(ask: Ask, { offers }: Site, list: PlanShortlist, book: Book): Plan {
  const { open, refusals: ofWindows } = openWindows(ask, offers, book.now);
  const unfit: Refusal[] = [];
  const fitting: Fitting[] = [];
  for (const suitable of open.length === 0 ? [] : list.suitable) {
    const taken = book.taken.get(suitable.id) ?? [];
    const place = destinationAt(suitable, offers, open, taken, book);
    const fits = fittingAt(place);
    if (fits === undefined) unfit.push(...refusalsOf(ask, place, open, taken));
    else fitting.push(fits);
    if (fitting.length === offers.most) break;
  }
  const proposals = inOrder(choose(fitting, offers.most), fitting);
  if (isNonEmpty(proposals))
    return {
      result: 'YES',
      proposals,
      rooms: fitting.map(({ place, first }) => roomAt(place, first)),
      unfit,
    };
  const refusals = [...list.refusals(), ...ofWindows, ...unfit];
  return {
    result: 'NO',
    refusals: isNonEmpty(refusals)
      ? refusals
      : [{ code: 'no-destination', place: { what: 'task' } }],
  };
}

function inOrder(proposals: readonly Proposal[], fitting: readonly Fitting[]): readonly Proposal[] {
  const rank = new Map(fitting.map(({ first }, index) => [first.destination, index]));
  return proposals.toSorted(
    (a, b) =>
      (rank.get(a.destination) ?? 0) - (rank.get(b.destination) ?? 0) ||
      a.startsAt - b.startsAt ||
      a.amount.cores - b.amount.cores ||
      a.amount.memory - b.amount.memory,
  );
}

/**
 * Offers diverse in destination, size and start; at most `most`. One larger variant is always among
 * them if it exists, and a later one of a destination whose first start is.
 */
function choose(fitting: readonly Fitting[], most: number): readonly Proposal[] {
  const firsts = fitting.map(({ first }) => first);
  const [larger, later] = [memoised(largerThan), memoised(laterThan)];
  const best =
    most > FIRSTS ? [...bestOf(fitting, larger), ...bestOf(fitting.slice(0, FIRSTS), later)] : [];
  const chosen = [...firsts.slice(0, FIRSTS), ...best, ...firsts.slice(FIRSTS)];
  for (const more of [larger, later]) {
    if (chosen.length < most)
      chosen.push(...inTurn(fitting.map(more)).filter((one) => !best.includes(one)));
  }
  return chosen.slice(0, most);
}

/** Lazy and memoised. */
function memoised(more: More): More {
  const known = new Map<Fitting, readonly Proposal[]>();
  return (one) => {
    const list = known.get(one) ?? more(one);
    known.set(one, list);
    return list;
  };
}

/** The first variant at the best destination that has one. */
function bestOf(fitting: readonly Fitting[], more: More): readonly Proposal[] {
  const best = fitting.find((one) => more(one).length > 0);
  return best === undefined ? [] : more(best).slice(0, 1);
}

/** Takes one of each list in turn. */
function inTurn(lists: readonly (readonly Proposal[])[]): readonly Proposal[] {
  return Array.from({ length: Math.max(0, ...lists.map(({ length }) => length)) }, (_, round) =>
    lists.flatMap((list) => list[round] ?? []),
  ).flat();
}
