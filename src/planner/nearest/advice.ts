import type { Database } from '../../db/client.ts';
import { ownerOf, type Principal } from '../../identity/principal.ts';
import type { Instant } from '../../schedule/interval.ts';
import type { Ask } from '../ask.ts';
import type { Change } from './change.ts';
import {
  withAsk,
  considerVariant,
  variantOf,
  type Considered,
  type RulesDecider,
} from '../considering.ts';
import { createBoundedQueue } from './bounded-queue.ts';
import { findNearest, type NearestAsk, type SearchBounds, type Try } from './nearest.ts';
import { withFoundObjects } from '../record/named-objects.ts';
import type { Refusal } from '../refusal.ts';
import type { Rehearsal } from '../plan/rehearsal.ts';

/**
 * The ask with some things said otherwise, read again from the client's own words; undefined
 * when it is not understood then.
 */
export type Revise = (changes: readonly Change[]) => Ask | undefined;

/** What a NO may cost beyond its reasons. */
export type AdviceBounds = SearchBounds & {
  /** questions to the rules; changed times and volumes need none */
  readonly decisions: number;
};

export type AdviceParts = {
  readonly database: Database;
  readonly sandbox: RulesDecider;
  readonly rehearse: Rehearsal;
  /** monotonic, milliseconds */
  readonly clock: () => number;
  readonly bounds?: AdviceBounds;
};

/** What was refused, when by the database's clock, and how to say it otherwise. */
export type RefusedAsk = {
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
/** With so many questions waiting for the rules, asks come before what need not be tried. */
const BUSY = 4;
/**
 * So many searches go on at a time: an ask has no more questions of theirs before
 * it, however many NOs there are.
 */
const AT_A_TIME = 2;
/** So many more wait for their turn. In a larger crowd a NO goes without. */
const MOST_WAITING = 64;

/**
 * Looks for the smallest change of an ask that would make its NO a YES, by rehearsing
 * changed asks; a few NOs at a time.
 */
export function createAdvice({
  database,
  sandbox,
  rehearse,
  clock,
  bounds = BOUNDS,
}: AdviceParts): Advice {
  const lanes = createBoundedQueue(AT_A_TIME, MOST_WAITING);

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
      const changed = await considerVariant({ database, sandbox }, asked, considered.site, inputs);
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
    return revise && lanes.run(() => search(considered, principal, refused, revise));
  };
}
