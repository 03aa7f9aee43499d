import type { Database } from '../../db/client.ts';
import { type Principal, ownerOf } from '../../identity/principal.ts';
import type { OfferUpdate } from '../../planner/dialect.ts';
import { keyMismatch, type DecisionKey } from '../../planner/guard.ts';
import { acceptOffer, cancelJob, rejectOffer } from '../../planner/record/update-offer.ts';
import { findOffer, type OfferRow } from '../../planner/record/offer-rows.ts';
import { underKey } from '../../planner/record/decision-key.ts';
import { allowedUpdates, type SessionState } from '../../planner/states.ts';
import type { Site } from '../../site/site.ts';
import type { OfferId } from '../../words/ids.ts';
import { Problem } from '../../words/problem.ts';

/** Shows and updates offers, as far as the caller may. */
export type OfferUpdates = {
  /** @throws Problem `offer-unknown` (404) if there is no such offer or the caller may not see it */
  readonly show: (id: OfferId, caller: Principal) => Promise<OfferRow>;
  /** @returns the verdict, for the log. @throws Problem if the update is refused */
  readonly update: (
    wanted: OfferUpdate,
    id: OfferId,
    caller: Principal,
    key: DecisionKey | undefined,
  ) => Promise<string>;
};

export function unknownOffer(ident: unknown): Problem {
  return new Problem('offer-unknown', `There is no offer ${String(ident).slice(0, 60)} of yours.`);
}

/** The problem of an accepted offer whose job was destroyed. */
export function destroyed(id: OfferId, state: SessionState | null): Problem {
  return new Problem(
    'job-destroyed',
    `Offer ${id} was accepted and its job destroyed; ask again.`,
    { ...(state !== null && { state }), allowed: [] },
  );
}

export function openOfferUpdates(database: Database, site: () => Site): OfferUpdates {
  const show = async (id: OfferId, caller: Principal): Promise<OfferRow> => {
    const row = await findOffer(
      database,
      id,
      isAdministrator(caller) ? undefined : ownerOf(caller),
    );
    if (row === undefined) throw unknownOffer(id);
    return row;
  };

  const accept = async (
    id: OfferId,
    caller: Principal,
    start: 'AUTO' | 'CLIENT',
    key: DecisionKey | undefined,
  ): Promise<string> => {
    const { queueLimit, keepResults } = site().offers;
    const { verdict, state, winner } = await acceptOffer(
      database,
      id,
      ownerOf(caller),
      { start, queueLimit, keepResults },
      key,
    );
    if (verdict === 'mismatch') throw keyMismatch();
    if (verdict === 'unknown' || state === null) {
      await show(id, caller);
      throw new Problem(
        'offer-not-yours',
        `Offer ${id} belongs to somebody else; an administrator may reject or cancel it, and not accept it.`,
      );
    }
    if (verdict === 'expired') throw expired(id);
    if (verdict === 'destroyed') throw destroyed(id, state);
    if (verdict === 'illegal') throw stateConflict(id, state, 'ACCEPTED');
    if (verdict === 'sibling') {
      throw new Problem(
        'offer-sibling-accepted',
        `Offer ${winner} of the same answer was accepted before; offer ${id} is ${state}.`,
        { state, allowed: allowedUpdates(state), ...(winner === null ? {} : { winner }) },
      );
    }
    return verdict;
  };

  const reject = async (
    id: OfferId,
    caller: Principal,
    key: DecisionKey | undefined,
  ): Promise<string> => {
    const { owner } = await show(id, caller);
    const { verdict, state } = await underKey(database, ownerOf(caller), key, (asking) =>
      rejectOffer(asking, id, owner),
    );
    if (verdict === 'unknown' || state === null) throw unknownOffer(id);
    if (verdict === 'expired') throw expired(id);
    if (verdict === 'illegal') throw stateConflict(id, state, 'REJECTED');
    return verdict;
  };

  const cancel = async (
    id: OfferId,
    caller: Principal,
    key: DecisionKey | undefined,
  ): Promise<string> => {
    const { state, owner } = await show(id, caller);
    const verdict = await underKey(database, ownerOf(caller), key, async (asking) => {
      if (state === 'CANCELLED') return 'again';
      return allowedUpdates(state).includes('CANCELLED')
        ? cancelJob(
            asking,
            id,
            owner === ownerOf(caller) ? 'owner' : { administrator: ownerOf(caller) },
          )
        : 'illegal';
    });
    if (verdict === 'illegal') throw stateConflict(id, state, 'CANCELLED');
    return verdict;
  };

  const update = (
    wanted: OfferUpdate,
    id: OfferId,
    caller: Principal,
    key: DecisionKey | undefined,
  ): Promise<string> => {
    switch (wanted.to) {
      case 'ACCEPTED':
        return accept(id, caller, wanted.start, key);
      case 'REJECTED':
        return reject(id, caller, key);
      case 'CANCELLED':
        return cancel(id, caller, key);
      default:
        return wanted satisfies never;
    }
  };
  return { show, update };
}

function isAdministrator(caller: Principal): boolean {
  return caller.kind === 'user' && caller.administrator;
}

function expired(id: OfferId): Problem {
  return new Problem('offer-expired', `Offer ${id} has expired; ask again for new offers.`, {
    state: 'EXPIRED',
    allowed: [],
  });
}

function stateConflict(id: OfferId, state: SessionState, asked: string): Problem {
  const allowed = allowedUpdates(state);
  const next =
    allowed.length === 0 ? 'this state is final' : `it can go to ${allowed.join(' or ')}`;
  return new Problem(
    'offer-state-conflict',
    `Offer ${id} is ${state} and cannot go to ${asked}; ${next}.`,
    { state, allowed },
  );
}
