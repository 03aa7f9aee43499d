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

/** The result of trying a changed ask; `skipped`: it is not understood or costs too much. */
export type AskTrial =
  | { readonly kind: 'yes'; readonly destination: DestinationId }
  | { readonly kind: 'no'; readonly ask: Ask; readonly refusals: readonly Refusal[] }
  | { readonly kind: 'skipped' };

/** The smallest change found that turns a NO into a YES, and a destination of that YES. */
export type NearestAsk = {
  readonly destination: DestinationId;
  readonly changes: readonly Change[];
};

export type SearchBounds = {
  /** the most changed asks that are tried */
  readonly trials: number;
  /** how many are tried whatever the time, so that a busy machine finds what an idle one does */
  readonly sure: number;
  /** milliseconds after which no further trial begins */
  readonly ms: number;
};

/** Rehearses the ask with some changes. @param isSure it is tried whatever the time */
export type Try = (changes: readonly Change[], isSure: boolean) => Promise<AskTrial>;

/** The most combinations of remedies for the refusals of one destination. */
const MOST_WAYS = 12;
/** An ask with more changed fields would be another task. */
const MOST_FIELDS = 6;

/** Changes that meet some refusals. */
type Way = {
  readonly changes: readonly Change[];
  readonly isGuess: boolean;
  /** do they keep only one of several machines? */
  readonly isOfOne?: boolean;
};

type Node = Required<Way> & { readonly distance: Distance };

/** How many distinct lists of refusals each list is compared with. */
const MOST_COMPARED = 16;

/**
 * How many trials go to small changes before the trial of one machine alone. If several machines
 * find no room, a little less of each rarely helps. When one machine is a YES, smaller changes are
 * tried.
 */
const SMALL_FIRST = 2;

/**
 * Looks for the smallest change of an ask that turns a NO into a YES: the fewest fields, then the
 * smallest amounts. A best-first search: it tries the remedies for the refusals; the refusals of
 * a further NO have further remedies.
 *
 * @param trial rehearses the changed ask
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
      // Items that are left out do not count as fields.
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

/** The changes that the refusals of each destination call for, with those of the ask itself. */
function changesFor(refusals: readonly Refusal[], circumstance: Circumstance): readonly Way[] {
  const { ask, site } = circumstance;
  const shared = sharedBy(refusals, ask);
  const byDestination = Map.groupBy<string | undefined, Refusal>(
    refusals.filter(({ destination }) => destination !== undefined),
    ({ destination }) => destination,
  );
  // A destination without own refusals takes the ask when the shared ones are met.
  const hasWilling = numberRefusing(refusals, site) < site.destinations.size;
  const lists = [
    ...(shared.length > 0 && hasWilling ? [shared] : []),
    ...distinctLists([...byDestination.values()]).map((own) => [...shared, ...own]),
  ];
  return lists
    .flatMap((list) => waysToMeet(list, circumstance))
    .filter(({ changes }) => changes.length > 0);
}

/** How many destinations of the site give some refusals. Of those alike the site has all or none. */
function numberRefusing(
  refusals: readonly Refusal[],
  { destinations }: Circumstance['site'],
): number {
  const givers = new Map(refusals.map((one) => [one.destination, one.alike?.length ?? 1]));
  return [...givers].reduce(
    (sum, [id, count]) => (id !== undefined && destinations.has(id) ? sum + count : sum),
    0,
  );
}

/** The refusals of the ask itself, and of its windows if none of them is possible. */
function sharedBy(refusals: readonly Refusal[], ask: Ask): readonly Refusal[] {
  const general = refusals.filter(({ destination }) => destination === undefined);
  return [...general.filter((one) => !isAboutTime(one)), ...windowRefusals(ask, general)];
}

function isAboutTime({ place }: Refusal): boolean {
  return 'window' in place;
}

/** An ask needs one window: if all are refused, the refusals of the first count. */
function windowRefusals(ask: Ask, refusals: readonly Refusal[]): readonly Refusal[] {
  const each = ask.windows.map((_, index) =>
    refusals.filter(({ place }) => 'window' in place && place.window === index),
  );
  return each.every((list) => list.length > 0) ? (each[0] ?? []) : [];
}

/** Without lists that repeat another: a thousand destinations may call for the same changes. */
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
  // Fewer machines change every amount, so other refusals wait.
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

/** Both lists of changes; of two changes of a field the larger one, which meets both refusals. */
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

/** One of several machines, at a possible time; nothing if no destination has remedies for all. */
function waysToOneMachine(
  refusals: readonly Refusal[],
  circumstance: Circumstance,
): readonly Way[] {
  const { ask, site } = circumstance;
  if (isOneMachine(ask.parts)) return [];
  const hopeless = refusals.filter((one) => !canBeMet(one));
  if (
    hopeless.some(({ destination }) => destination === undefined) ||
    numberRefusing(hopeless, site) === site.destinations.size
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
 * Takes the nearest node out of the list; of equally near ones the first.
 * @param turn prefer nodes with one machine
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

/** Remedies come before guesses, each of which may cost a question to the rules. */
function preferred(a: Node, b: Node): number {
  return Number(a.isGuess) - Number(b.isGuess) || compareDistances(a.distance, b.distance);
}
