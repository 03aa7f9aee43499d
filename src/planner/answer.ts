import type { Instant } from '../schedule/interval.ts';
import type { Forecasts } from '../schedule/forecasts.ts';
import type { Taken } from '../schedule/profile.ts';
import type { Site } from '../site/site.ts';
import type { WeighedCandidate, Weighing } from '../vortex/index.ts';
import { isNonEmpty, type NonEmpty } from '../words/ids.ts';
import type { Ask } from './ask.ts';
import { roomAt, type Room } from './book-summary.ts';
import { judge, type Judged, type Suitable } from './candidate.ts';
import { firstOf, laterThan, largerThan, placeOf, refusalsOf, type Place } from './fit.ts';
import { ofVerdict } from './objection.ts';
import type { Proposal } from './offer.ts';
import type { Refusal } from './refusal.ts';
import { withoutMissing, type StoreBook } from './storing.ts';
import { openWindows } from './windows.ts';

/** YES with at least one proposal, or NO with at least one reason; nothing else can be written. */
export type Plan =
  | { readonly result: 'YES'; readonly proposals: NonEmpty<Proposal>; /** of each destination that has an offer */ readonly rooms: readonly Room[] }
  | { readonly result: 'NO'; readonly refusals: NonEmpty<Refusal> };

/** What is reserved from now on, by destination, and the database's time when it was read. */
export type Book = {
  readonly now: Instant;
  readonly taken: ReadonlyMap<string, readonly Taken[]>;
  /** what is reserved of the site's storage, where the ask stores anything */
  readonly stores?: StoreBook;
  /** what engines say of their own queues */
  readonly forecasts?: Forecasts;
};

/** The destinations that an ask could go to, in order of preference, and why the others cannot take it. */
export type Shortlist = {
  readonly suitable: readonly Suitable[];
  /** Of the destinations that the rules were asked about; worked out when a NO needs it. */
  readonly refusals: () => readonly Refusal[];
  /** were the rules asked about all that match? */
  readonly isWhole: boolean;
};

/** Templates of the rule files are no destinations: that a task cannot go there is no reason. */
const isConcrete = (candidate: WeighedCandidate): boolean =>
  candidate.kind !== 'refused' || !candidate.clauses.some(({ code }) => code === 'destination-abstract');

/**
 * The rules' and the site's part of the decision; it needs no book.
 *
 * @param others those that do not match and that the rules' answer does not repeat
 */
export const shortlist = (ask: Ask, site: Site, weighing: Weighing, others: () => readonly WeighedCandidate[] = () => []): Shortlist => {
  if (weighing.kind === 'stopped') return { suitable: [], refusals: () => [ofVerdict(weighing.verdict)], isWhole: true };
  const { rest, refusals } = withoutMissing(ask);
  const judgeAll = (candidates: readonly WeighedCandidate[]): readonly Judged[] => candidates.filter(isConcrete).map((candidate) => judge(rest, site, candidate));
  const judged = judgeAll(weighing.candidates);
  return {
    suitable: judged.flatMap((one) => (one.ok && refusals.length === 0 ? [one.suitable] : [])),
    refusals: () => [...refusals, ...[...judged, ...judgeAll(others())].flatMap((one) => (one.ok ? [] : one.refusals))],
    isWhole: weighing.isWhole,
  };
};

type Fitting = { readonly place: Place; readonly first: Proposal };

/** Offers diverse in destination, then in size, then in start; at most `most`. */
const choose = (fitting: readonly Fitting[], most: number): readonly Proposal[] => {
  const chosen = fitting.map(({ first }) => first);
  for (const more of [largerThan, laterThan]) {
    const found = fitting.map(({ place, first }) => (chosen.length < most ? more(place, first) : []));
    // The next one of every destination before the one after that of any.
    for (let round = 0; found.some((list) => round < list.length); round += 1) chosen.push(...found.flatMap((list) => list[round] ?? []));
  }
  return chosen.slice(0, most);
};

const inOrder = (proposals: readonly Proposal[], fitting: readonly Fitting[]): readonly Proposal[] => {
  const rank = new Map(fitting.map(({ first }, index) => [first.destination, index]));
  return proposals.toSorted((a, b) => (rank.get(a.destination) ?? 0) - (rank.get(b.destination) ?? 0) || a.startsAt - b.startsAt
    || a.amount.cores - b.amount.cores || a.amount.memory - b.amount.memory);
};

/**
 * The answer to an ask on this book: the first possible start at the destinations that the rules prefer, then larger and
 * later ones as far as the ask leaves room; at most `max-offers`, in the order of the rules' preference, then of start.
 */
export const plan = (ask: Ask, { offers }: Site, list: Shortlist, book: Book): Plan => {
  const { open, refusals: ofWindows } = openWindows(ask, offers, book.now);
  const unfit: Refusal[] = [];
  const fitting: Fitting[] = [];
  for (const suitable of open.length === 0 ? [] : list.suitable) {
    const taken = book.taken.get(suitable.id) ?? [];
    const place = placeOf(suitable, offers, open, taken, book);
    const first = firstOf(place);
    if (first === undefined) unfit.push(...refusalsOf(ask, place, open, taken));
    else fitting.push({ place, first });
    if (fitting.length === offers.most) break;
  }
  const proposals = inOrder(choose(fitting, offers.most), fitting);
  if (isNonEmpty(proposals)) return { result: 'YES', proposals, rooms: fitting.map(({ place, first }) => roomAt(place, first)) };
  const refusals = [...list.refusals(), ...ofWindows, ...unfit];
  return { result: 'NO', refusals: isNonEmpty(refusals) ? refusals : [{ code: 'no-destination', path: 'task' }] };
};
