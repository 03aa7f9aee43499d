import type { Database } from '../../db/client.ts';
import { type Principal, ownerOf } from '../../identity/principal.ts';
import type { OfferUpdate } from '../../planner/dialect.ts';
import { keyMismatch, type DecisionKey } from '../../planner/guard.ts';
import {
  acceptOffer,
  cancelJob,
  rejectOffer,
  type AcceptTerms,
} from '../../planner/record/update-offer.ts';
import { findOffer, type OfferRow } from '../../planner/record/offer-rows.ts';
import { underKey } from '../../planner/record/decision-key.ts';
import { allowedUpdates, type SessionState } from '../../planner/states.ts';
import type { Site } from '../../site/site.ts';
import type { OfferId } from '../../words/ids.ts';
import { changedSince } from '../../uws/read/precondition.ts';
import { Problem } from '../../words/problem.ts';

/** An update of an offer, and whose it is. */
type Asked = {
  readonly database: Database;
  readonly id: OfferId;
  readonly caller: Principal;
  readonly key: DecisionKey | undefined;
  /** the only state in which to cancel it; undefined: any */
  readonly seen: SessionState | undefined;
};

/**
 * An offer that the caller may see.
 * @throws Problem `offer-unknown` (404) if there is none
 */
export async function showOffer(
  database: Database,
  id: OfferId,
  caller: Principal,
): Promise<OfferRow> {
  const row = await findOffer(database, id, ownerSeenBy(caller));
  if (row === undefined) throw unknownOffer(id);
  return row;
}

/** What an update did: the verdict, for the log, and the offer as an accept left it. */
export type Updated = { readonly verdict: string; readonly accepted?: OfferRow };

/** @throws Problem if the update is refused */
export function updateOffer(
  asked: Asked,
  wanted: OfferUpdate,
  { queueLimit, keepResults }: Site['offers'],
): Promise<Updated> {
  switch (wanted.to) {
    case 'ACCEPTED':
      return accept(asked, { start: wanted.start, queueLimit, keepResults });
    case 'REJECTED':
      return reject(asked);
    case 'CANCELLED':
      return cancel(asked);
    default:
      return wanted satisfies never;
  }
}

/** Whose offers and asks somebody may see; undefined: everybody's, since it is an administrator. */
export function ownerSeenBy(caller: Principal): string | undefined {
  return isAdministrator(caller) ? undefined : ownerOf(caller);
}

export function isAdministrator(caller: Principal): boolean {
  return caller.kind === 'user' && caller.administrator;
}

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

async function accept({ database, id, caller, key }: Asked, terms: AcceptTerms): Promise<Updated> {
  const became = await acceptOffer(database, id, ownerOf(caller), terms, key);
  if (became.verdict === 'accepted') return { verdict: 'accepted', accepted: became.offer };
  const { verdict, state, winner } = became;
  if (verdict === 'mismatch') throw keyMismatch();
  if (verdict === 'unknown' || state === null) {
    await showOffer(database, id, caller);
    throw new Problem(
      'offer-not-yours',
      `Offer ${id} belongs to somebody else; an administrator may reject or cancel it, but not accept it.`,
    );
  }
  switch (verdict) {
    case 'again':
      return { verdict };
    case 'expired':
      throw expired(id);
    case 'destroyed':
      throw destroyed(id, state);
    case 'illegal':
      throw stateConflict(id, state, 'ACCEPTED');
    case 'sibling':
      throw new Problem(
        'offer-sibling-accepted',
        `Offer ${winner} of the same answer was accepted before; offer ${id} is ${state}.`,
        { state, allowed: allowedUpdates(state), ...(winner !== null && { winner }) },
      );
    default:
      return verdict satisfies never;
  }
}

async function reject({ database, id, caller, key }: Asked): Promise<Updated> {
  const { owner } = await showOffer(database, id, caller);
  const { verdict, state } = await underKey(database, ownerOf(caller), key, (asking) =>
    rejectOffer(asking, id, owner),
  );
  if (verdict === 'unknown' || state === null) throw unknownOffer(id);
  switch (verdict) {
    case 'rejected':
    case 'again':
      return { verdict };
    case 'expired':
      throw expired(id);
    case 'illegal':
      throw stateConflict(id, state, 'REJECTED');
    default:
      return verdict satisfies never;
  }
}

async function cancel({ database, id, caller, key, seen }: Asked): Promise<Updated> {
  const { state, owner } = await showOffer(database, id, caller);
  const self = ownerOf(caller);
  const verdict = await underKey(database, self, key, async (asking) => {
    if (state === 'CANCELLED') return 'again';
    return allowedUpdates(state).includes('CANCELLED')
      ? cancelJob(asking, id, owner === self ? 'owner' : { administrator: self }, seen)
      : 'illegal';
  });
  if (verdict === 'illegal') throw stateConflict(id, state, 'CANCELLED');
  if (verdict === 'changed') throw changedSince();
  return { verdict };
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
