import type { Database } from '../../db/client.ts';
import { ownerOf, type Principal } from '../../identity/principal.ts';
import type { Instant } from '../../schedule/interval.ts';
import type { Ask } from '../ask.ts';
import type { Change } from './change.ts';
import {
  withAsk,
  considerJob,
  variantOf,
  type Considered,
  type RulesDecider,
} from '../considering.ts';
import { createBoundedQueue } from './bounded-queue.ts';
import { findNearest, type NearestAsk, type SearchBounds, type Try } from './nearest.ts';
import { withFoundObjects } from '../record/named-objects.ts';
import type { Refusal } from '../refusal.ts';
import type { Rehearsal } from '../plan/rehearsal.ts';

/** Reads the client's document with some changes; undefined: it is not understood then. */
export type Revise = (changes: readonly Change[]) => Ask | undefined;

/** What the search for `nearest` may cost. */
export type AdviceBounds = SearchBounds & {
  /** questions to the rules; changes of times and volumes need none */
  readonly decisions: number;
};

type AdviceParts = {
  readonly database: Database;
  readonly sandbox: RulesDecider;
  readonly rehearse: Rehearsal;
  /** monotonic, milliseconds */
  readonly clock: () => number;
  readonly bounds?: AdviceBounds;
};

/** A NO, its time by the database's clock, and how to change the ask. */
type RefusedAsk = {
  readonly refusals: readonly Refusal[];
  readonly now: Instant;
  readonly revise: Revise | undefined;
};

export type Advice = (
  considered: Considered,
  principal: Principal,
  refused: RefusedAsk,
) => Promise<NearestAsk | undefined>;

const BOUNDS: AdviceBounds = { decisions: 8, trials: 24, sure: 6, ms: 50 };
/**
 * How many searches run at a time. Most of a search is waiting, so that many wait together; their
 * questions to the rules are what delays an ask.
 */
const AT_A_TIME = 8;
/** While so many questions of asks, too, wait for the rules, asks go before further trials. */
const BUSY = AT_A_TIME + 4;
/** How many searches may wait. Further NOs have no `nearest`. */
const MOST_WAITING = 64;

/** Looks for the smallest change that turns a NO into a YES, by rehearsing changed asks. */
export function createAdvice({
  database,
  sandbox,
  rehearse,
  clock,
  bounds = BOUNDS,
}: AdviceParts): Advice {
  const searches = createBoundedQueue(AT_A_TIME, MOST_WAITING);

  const search = async (
    considered: Considered,
    principal: Principal,
    { refusals, now }: RefusedAsk,
    revise: Revise,
  ): Promise<NearestAsk | undefined> => {
    const known = new Map([[JSON.stringify(considered.inputs.job), considered]]);
    let decisions = bounds.decisions;

    const considerChanged = async (
      asked: Ask,
      isSure: boolean,
    ): Promise<Considered | undefined> => {
      const inputs = variantOf(considered.inputs, asked, considered.site, principal);
      const key = JSON.stringify(inputs.job);
      const before = known.get(key);
      if (before !== undefined) return withAsk(before, asked);
      if (decisions === 0 || (!isSure && sandbox.stats().waiting > BUSY)) return undefined;
      decisions -= 1;
      const changed = await considerJob(sandbox, asked, considered.site, inputs);
      known.set(key, changed);
      return changed;
    };

    const trial: Try = async (changes, isSure) => {
      const revised = revise(changes);
      if (revised === undefined) return { kind: 'skipped' };
      const asked = await withFoundObjects(database, revised, ownerOf(principal));
      const changed = await considerChanged(asked, isSure);
      if (changed === undefined) return { kind: 'skipped' };
      const outcome = await rehearse(changed, principal);
      return outcome.result === 'YES'
        ? { kind: 'yes', destination: outcome.proposals[0].destination }
        : { kind: 'no', ask: asked, refusals: outcome.refusals };
    };

    return findNearest(
      { ask: considered.asked, site: considered.site, now },
      refusals,
      trial,
      bounds,
      clock,
    );
  };

  return async (considered, principal, refused) => {
    const { revise } = refused;
    return revise && searches.run(() => search(considered, principal, refused, revise));
  };
}
