import type { DestinationId } from '../../words/ids.ts';
import type { Ask } from '../ask.ts';
import {
  combinedChanges,
  distanceOf,
  identityOfChanges,
  isSameField,
  compareDistances,
  sizeOfChange,
  type Change,
  type Circumstance,
  type Distance,
} from './change.ts';
import { isOneMachine } from '../judge/parts.ts';
import { asChangesOfOriginal, onlyLightest, withoutChangesOfLost } from './remedy-items.ts';
import { canBeMet, isGuessed, isOfDestination, remediesFor } from './remedy.ts';
import { areSameRefusals, type Refusal } from '../refusal.ts';

/**
 * A changed ask that was tried: YES, NO with other reasons, or not tried, since it cannot
 * be asked or would cost too much.
 */
export type AskTrial =
  | { readonly kind: 'yes'; readonly destination: DestinationId }
  | { readonly kind: 'no'; readonly ask: Ask; readonly refusals: readonly Refusal[] }
  | { readonly kind: 'skipped' };

/** The smallest change found that turns a NO into YES, and a destination that says so. */
export type NearestAsk = {
  readonly destination: DestinationId;
  readonly changes: readonly Change[];
};

export type SearchBounds = {
  /** changed asks that are tried at most */
  readonly trials: number;
  /**
   * so many of them are tried however long they take: a busy machine finds what an idle one does
   */
  readonly sure: number;
  /** no other one is begun later than this many milliseconds after the search */
  readonly ms: number;
};

/**
 * Really asks with some changes. `isSure` is whether this is one of
 * those that are tried in any case.
 */
export type Try = (changes: readonly Change[], isSure: boolean) => Promise<AskTrial>;

/** Ways to meet all refusals of one destination: products of so many at most. */
const MOST_WAYS = 12;
/** More fields than this changed are another task. */
const MOST_FIELDS = 6;

/**
 * Ways to meet some refusals, whether one of them is a guess, and whether they
 * begin with one machine of several.
 */
type Way = {
  readonly changes: readonly Change[];
  readonly isGuess: boolean;
  readonly isOfOne?: boolean;
};

type Node = Required<Way> & { readonly distance: Distance };

/** More that differ are worked out each for itself. */
const MOST_COMPARED = 16;

/**
 * Where several machines do not find room, a little less of each seldom does: so many trials are
 * for small changes, then one machine comes first, and once that is a YES whatever changes less.
 */
const SMALL_FIRST = 2;

/**
 * Looks for the smallest change of an ask that turns NO into YES: the fewest fields, then the
 * least of each. Best first: what the reasons call for is tried by really asking, and the reasons
 * of a further NO call for more.
 *
 * @param trial asks with the changes, and holds nothing
 * @param clock monotonic, milliseconds
 */
export async function findNearest(
  circumstance: Circumstance,
  refusals: readonly Refusal[],
  trial: Try,
  { trials, sure, ms }: SearchBounds,
  clock: () => number,
): Promise<NearestAsk | undefined> {
  const { ask, now } = circumstance;
  const until = clock() + ms;
  const seen = new Set<string>();
  const open: Node[] = [];
  const widen = (from: Way, ways: readonly Way[]): void => {
    for (const more of ways) {
      const next = withoutChangesOfLost(
        ask,
        combinedChanges(from.changes, asChangesOfOriginal(ask, from.changes, more.changes)),
      );
      const identity = identityOfChanges(next);
      // What is left out is asked for no longer.
      if (seen.has(identity) || next.filter(({ what }) => what !== 'item').length > MOST_FIELDS)
        continue;
      seen.add(identity);
      open.push({
        changes: next,
        isGuess: from.isGuess || more.isGuess,
        isOfOne: from.isOfOne ?? more.isOfOne ?? false,
        distance: distanceOf(ask, next, now),
      });
    }
  };
  const asAsked: Way = { changes: [], isGuess: false };
  widen(asAsked, changesFor(refusals, circumstance));
  widen(asAsked, waysToOneMachine(refusals, circumstance));
  let found: { readonly node: Node; readonly destination: DestinationId } | undefined;
  for (
    let [tried, skipped] = [0, 0];
    tried < trials && ((tried < sure && skipped < trials) || clock() < until);
  ) {
    const node = takeNearest(
      open,
      tried >= SMALL_FIRST && (tried < sure || tried % 2 === 0),
      found?.node,
    );
    if (node === undefined) break;
    const outcome = await trial(node.changes, tried < sure);
    if (outcome.kind === 'skipped') {
      skipped += 1;
      continue;
    }
    tried += 1;
    if (outcome.kind === 'no')
      widen(node, changesFor(outcome.refusals, { ...circumstance, ask: outcome.ask }));
    else {
      found = { node, destination: outcome.destination };
      if (!node.isOfOne) break;
    }
  }
  return found && { destination: found.destination, changes: found.node.changes };
}

/**
 * The changes that the reasons of a NO call for: those of each destination, with those
 * that every destination shares.
 */
function changesFor(refusals: readonly Refusal[], circumstance: Circumstance): readonly Way[] {
  const { ask } = circumstance;
  const shared = sharedBy(refusals, ask);
  const byDestination = Map.groupBy<string | undefined, Refusal>(
    refusals.filter(({ destination }) => destination !== undefined),
    ({ destination }) => destination,
  );
  // Meeting what all share is enough where a destination has nothing to say of its own.
  const hasWilling = [...circumstance.site.destinations.keys()].some(
    (id) => !byDestination.has(id),
  );
  const lists = [
    ...(shared.length > 0 && hasWilling ? [shared] : []),
    ...distinctLists([...byDestination.values()]).map((own) => [...shared, ...own]),
  ];
  return lists
    .flatMap((list) => waysToMeet(list, circumstance))
    .filter(({ changes }) => changes.length > 0);
}

/** What every destination shares: the ask itself, and its times where none of them is possible. */
function sharedBy(refusals: readonly Refusal[], ask: Ask): readonly Refusal[] {
  const general = refusals.filter(({ destination }) => destination === undefined);
  return [...general.filter((one) => !isAboutTime(one)), ...windowRefusals(ask, general)];
}

function isAboutTime({ place }: Refusal): boolean {
  return 'window' in place;
}

/**
 * Of the windows of an ask one is enough: their refusals count when there is no
 * other, and then those of the first.
 */
function windowRefusals(ask: Ask, refusals: readonly Refusal[]): readonly Refusal[] {
  const each = ask.windows.map((_, index) =>
    refusals.filter(({ place }) => 'window' in place && place.window === index),
  );
  return each.every((list) => list.length > 0) ? (each[0] ?? []) : [];
}

/**
 * What a thousand destinations say alike calls for the same changes, and is
 * worked out for the first of them.
 */
function distinctLists(lists: readonly (readonly Refusal[])[]): readonly (readonly Refusal[])[] {
  const known: (readonly Refusal[])[] = [];
  return lists.filter((list) => {
    if (list.some(isOfDestination)) return true;
    if (known.some((one) => areSameRefusals(one, list))) return false;
    if (known.length < MOST_COMPARED) known.push(list);
    return true;
  });
}

function waysToMeet(all: readonly Refusal[], circumstance: Circumstance): readonly Way[] {
  let ways: readonly Way[] = [{ changes: [], isGuess: false }];
  // With fewer machines every amount is another.
  const refusals = all.some(isAboutItems) ? all.filter(isAboutItems) : all;
  for (const refusal of refusals) {
    const remedies = remediesFor(circumstance, refusal);
    ways = ways
      .flatMap((way) =>
        remedies.map((remedy): Way => ({
          changes: combinedRemedies(way.changes, remedy, circumstance),
          isGuess: way.isGuess || isGuessed(refusal),
        })),
      )
      .slice(0, MOST_WAYS);
  }
  return ways;
}

function isAboutItems({ code }: Refusal): boolean {
  return code === 'compute-items-not-here';
}

/** Of two changes for one field the one that changes it more: both refusals must be met. */
function combinedRemedies(
  a: readonly Change[],
  b: readonly Change[],
  { ask, now }: Circumstance,
): readonly Change[] {
  const isWeaker = (change: Change): boolean =>
    a.some(
      (other) =>
        isSameField(other, change) &&
        sizeOfChange(ask, other, now) >= sizeOfChange(ask, change, now),
    );
  return combinedChanges(
    a,
    b.filter((change) => !isWeaker(change)),
  );
}

/**
 * One machine of several, at a time that is possible; nothing where every destination has a
 * reason that no other ask meets.
 */
function waysToOneMachine(
  refusals: readonly Refusal[],
  circumstance: Circumstance,
): readonly Way[] {
  const { ask, site } = circumstance;
  const hopeless = new Set<string | undefined>(
    refusals.filter((one) => !canBeMet(one)).map(({ destination }) => destination),
  );
  if (
    isOneMachine(ask.parts) ||
    hopeless.has(undefined) ||
    [...site.destinations.keys()].every((id) => hopeless.has(id))
  )
    return [];
  const alone = onlyLightest(
    ask,
    refusals.some(({ code, resource }) => code === 'gpu-type-not-here' || resource === 'gpus'),
  );
  const ways = waysToMeet(
    sharedBy(refusals, ask).filter((one) => !isGuessed(one)),
    circumstance,
  );
  return (ways.length === 0 ? [{ changes: [] }] : ways).map(({ changes }) => ({
    changes: [...alone, ...changes],
    isGuess: true,
    isOfOne: true,
  }));
}

/**
 * Takes the nearest out of the list; of equally near ones the first.
 * @param turn where it is the turn of what begins with one machine
 */
function takeNearest(open: Node[], turn: boolean, found: Node | undefined): Node | undefined {
  const nearEnough =
    found === undefined
      ? open
      : open.filter((one) => !one.isOfOne && compareDistances(one.distance, found.distance) < 0);
  const ofOne = turn ? nearEnough.filter(({ isOfOne }) => isOfOne) : [];
  const [first, ...rest] = ofOne.length > 0 ? ofOne : nearEnough;
  if (first === undefined) return undefined;
  const best = rest.reduce((a, b) => (preferred(b, a) < 0 ? b : a), first);
  open.splice(open.indexOf(best), 1);
  return best;
}

/** What the reasons call for comes before guesses, which may cost a question each and be wrong. */
function preferred(a: Node, b: Node): number {
  return Number(a.isGuess) - Number(b.isGuess) || compareDistances(a.distance, b.distance);
}
