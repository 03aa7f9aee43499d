import type { Database } from '../db/client.ts';
import { ownerOf, type Principal } from '../identity/principal.ts';
import type { Instant } from '../schedule/interval.ts';
import type { Ask } from './ask.ts';
import type { Change } from './change.ts';
import { consideredAs, considerVariant, variantOf, type Considered, type Rules } from './considering.ts';
import { findNearest, type Found, type SearchBounds, type Trial } from './nearest.ts';
import { withObjects } from './objects.ts';
import type { Refusal } from './refusal.ts';
import type { Rehearsal } from './rehearsal.ts';

/** The ask with some things said otherwise, read again from the client's own words; undefined when it is not understood then. */
export type Revise = (changes: readonly Change[]) => Ask | undefined;

/** What a NO may cost beyond its reasons. */
export type AdviceBounds = SearchBounds & {
  /** questions to the rules; changed times and volumes need none */
  readonly decisions: number;
};

export type AdviceParts = {
  readonly database: Database;
  readonly sandbox: Rules;
  readonly rehearse: Rehearsal;
  /** monotonic, milliseconds */
  readonly clock: () => number;
  readonly bounds?: AdviceBounds;
};

/** What was refused, when by the database's clock, and how to say it otherwise. */
export type Refused = { readonly refusals: readonly Refusal[]; readonly now: Instant; readonly revise: Revise | undefined };

export type Advice = (considered: Considered, principal: Principal, refused: Refused) => Promise<Found | undefined>;

const BOUNDS: AdviceBounds = { decisions: 8, trials: 24, ms: 50 };
/** With so many questions waiting for the rules, asks come before advice. */
const BUSY = 4;

/** Looks for the smallest change of an ask that would make its NO a YES, by rehearsing changed asks. */
export const createAdvice = ({ database, sandbox, rehearse, clock, bounds = BOUNDS }: AdviceParts): Advice =>
  async (considered, principal, { refusals, now, revise }) => {
    if (revise === undefined) return undefined;
    const known = new Map([[JSON.stringify(considered.inputs.job), considered]]);
    let decisions = bounds.decisions;

    const considerChanged = async (asked: Ask): Promise<Considered | undefined> => {
      const inputs = variantOf(considered.inputs, asked, considered.site, principal);
      const key = JSON.stringify(inputs.job);
      const before = known.get(key);
      if (before !== undefined) return consideredAs(before, asked);
      if (decisions === 0 || sandbox.stats().waiting > BUSY) return undefined;
      decisions -= 1;
      const changed = await considerVariant({ database, sandbox }, asked, considered.site, inputs);
      known.set(key, changed);
      return changed;
    };

    const trial = async (changes: readonly Change[]): Promise<Trial> => {
      const revised = revise(changes);
      if (revised === undefined) return { kind: 'skipped' };
      const asked = await withObjects(database, revised, ownerOf(principal));
      const changed = await considerChanged(asked);
      if (changed === undefined) return { kind: 'skipped' };
      const outcome = await rehearse(changed, principal);
      return outcome.result === 'YES' ? { kind: 'yes', destination: outcome.proposals[0].destination } : { kind: 'no', ask: asked, refusals: outcome.refusals };
    };

    return findNearest({ ask: considered.asked, site: considered.site, now }, refusals, trial, bounds, clock);
  };
