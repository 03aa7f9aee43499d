import type { Instant } from '../../schedule/interval.ts';
import type { Forecasts } from '../../schedule/forecasts.ts';
import type { Taken } from '../../schedule/profile.ts';
import type { ResultsUsed } from '../../schedule/results.ts';
import type { Site } from '../../site/site.ts';
import type { WeighedCandidate, Weighing } from '../../vortex/index.ts';
import { isNonEmpty, type NonEmpty } from '../../words/ids.ts';
import type { Ask } from '../ask.ts';
import { roomAt, type RoomAtDestination } from './book-summary.ts';
import { judge, type Judged, type Suitable } from '../judge/candidate.ts';
import {
  firstOf,
  laterThan,
  largerThan,
  destinationAt,
  refusalsOf,
  type DestinationAtTime,
} from './fit.ts';
import { ofVerdict } from '../judge/objection.ts';
import type { Proposal } from '../offer.ts';
import type { Refusal } from '../refusal.ts';
import { withoutMissing, type StoreBook } from '../judge/storing.ts';
import { openWindows } from './windows.ts';

/** YES with at least one proposal, or NO with at least one reason; nothing else can be written. */
export type Plan =
  | {
      readonly result: 'YES';
      readonly proposals: NonEmpty<Proposal>;
      /** of each destination that could have had an offer */
      readonly rooms: readonly RoomAtDestination[];
      /** why those have none that were looked at before the answer was full */
      readonly unfit: readonly Refusal[];
    }
  | { readonly result: 'NO'; readonly refusals: NonEmpty<Refusal> };

/** What is reserved from now on, by destination, and the database's time when it was read. */
export type Book = {
  readonly now: Instant;
  readonly taken: ReadonlyMap<string, readonly Taken[]>;
  /** what is reserved of the site's storage, where the ask stores anything */
  readonly stores?: StoreBook;
  /** what is used of the pools of results, where that was read */
  readonly results?: ReadonlyMap<string, ResultsUsed>;
  /** what engines say of their own queues */
  readonly forecasts?: Forecasts;
};

/**
 * The destinations that an ask could go to, in order of preference, and
 * why the others cannot take it.
 */
export type PlanShortlist = {
  readonly suitable: readonly Suitable[];
  /** Of the destinations that the rules were asked about; worked out when a NO needs it. */
  readonly refusals: () => readonly Refusal[];
  /**
   * Of those that match and that the site, or a rule of theirs, does not let the ask go to:
   * why a YES has no offer of them.
   */
  readonly passedOver: () => readonly Refusal[];
  /** were the rules asked about all that match? */
  readonly isWhole: boolean;
};

/**
 * The rules' and the site's part of the decision; it needs no book.
 *
 * @param others those that do not match and that the rules' answer does not repeat
 */
export function shortlist(
  ask: Ask,
  site: Site,
  weighing: Weighing,
  others: () => readonly WeighedCandidate[] = () => [],
): PlanShortlist {
  if (weighing.kind === 'stopped')
    return {
      suitable: [],
      refusals: () => [ofVerdict(weighing.verdict)],
      passedOver: () => [],
      isWhole: true,
    };
  const { rest, refusals } = withoutMissing(ask);
  const judgeAll = (candidates: readonly WeighedCandidate[]): readonly Judged[] =>
    candidates.filter(isConcrete).map((candidate) => judge(rest, site, candidate));
  const judged = judgeAll(weighing.candidates);
  const refusalsOfAll = (all: readonly Judged[]): readonly Refusal[] =>
    all.flatMap((one) => (one.ok ? [] : one.refusals));
  return {
    suitable: judged.flatMap((one) => (one.ok && refusals.length === 0 ? [one.suitable] : [])),
    refusals: () => [...refusals, ...refusalsOfAll([...judged, ...judgeAll(others())])],
    passedOver: () => refusalsOfAll(judged),
    isWhole: weighing.isWhole,
  };
}

type Fitting = { readonly place: DestinationAtTime; readonly first: Proposal };

type More = (one: Fitting) => readonly Proposal[];

/** So many first starts come before anything larger or later. */
const FIRSTS = 2;

/**
 * The answer to an ask on this book: the first possible start at the destinations that the rules
 * prefer, and larger and later ones as far as the ask leaves room; at most `max-offers`, in the
 * order of the rules' preference, then of start.
 */
export function plan(ask: Ask, { offers }: Site, list: PlanShortlist, book: Book): Plan {
  const { open, refusals: ofWindows } = openWindows(ask, offers, book.now);
  const unfit: Refusal[] = [];
  const fitting: Fitting[] = [];
  for (const suitable of open.length === 0 ? [] : list.suitable) {
    const taken = book.taken.get(suitable.id) ?? [];
    const place = destinationAt(suitable, offers, open, taken, book);
    const first = firstOf(place);
    if (first === undefined) unfit.push(...refusalsOf(ask, place, open, taken));
    else fitting.push({ place, first });
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

/** Templates of the rule files are no destinations: that a task cannot go there is no reason. */
function isConcrete(candidate: WeighedCandidate): boolean {
  return (
    candidate.kind !== 'refused' ||
    !candidate.clauses.some(({ code }) => code === 'destination-abstract')
  );
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
 * Offers diverse in destination, size and start; at most `most`. However many destinations fit, one
 * that is larger and one that is later are among them, where there are such.
 */
function choose(fitting: readonly Fitting[], most: number): readonly Proposal[] {
  const firsts = fitting.map(({ first }) => first);
  const [larger, later] = [remembered(largerThan), remembered(laterThan)];
  const best = most > FIRSTS ? [...bestOf(fitting, larger), ...bestOf(fitting, later)] : [];
  const chosen = [...firsts.slice(0, FIRSTS), ...best, ...firsts.slice(FIRSTS)];
  for (const more of [larger, later]) {
    if (chosen.length < most)
      chosen.push(...inRounds(fitting.map(more)).filter((one) => !best.includes(one)));
  }
  return chosen.slice(0, most);
}

/** Works each list out once, and none that nobody wants. */
function remembered(
  more: (place: DestinationAtTime, first: Proposal) => readonly Proposal[],
): More {
  const known = new Map<Fitting, readonly Proposal[]>();
  return (one) => {
    const list = known.get(one) ?? more(one.place, one.first);
    known.set(one, list);
    return list;
  };
}

/** The one at the best destination that has any. */
function bestOf(fitting: readonly Fitting[], more: More): readonly Proposal[] {
  const best = fitting.find((one) => more(one).length > 0);
  return best === undefined ? [] : more(best).slice(0, 1);
}

/** The next one of every destination before the one after that of any. */
function inRounds(lists: readonly (readonly Proposal[])[]): readonly Proposal[] {
  return Array.from({ length: Math.max(0, ...lists.map(({ length }) => length)) }, (_, round) =>
    lists.flatMap((list) => list[round] ?? []),
  ).flat();
}
