import { queryFast, type Database } from '../../db/client.ts';
import { togetherAt } from '../../db/together.ts';
import type { AskId, OfferId } from '../../words/ids.ts';
import type { Proposal } from '../offer.ts';
import type { SessionState } from '../states.ts';
import { wholePromise, type KeptPromise } from './shared-parts.ts';

/** An offer of the book as it is now. */
export type OfferRow = {
  readonly id: OfferId;
  readonly ask: AskId;
  /** in its answer, best first */
  readonly place: number;
  /** the document of its ask; null in records of earlier versions */
  readonly document: unknown;
  /** what its client calls the task */
  readonly name: string | null;
  readonly owner: string;
  /** the last known name of an issuer's user; null for everybody else */
  readonly ownerName: string | null;
  readonly state: SessionState;
  readonly destination: string;
  readonly promise: Proposal['promised'];
  readonly createdAt: Date;
  /** when it was accepted, rejected or swept after its end; null before */
  readonly decidedAt: Date | null;
  readonly startsAt: Date;
  readonly expiresAt: Date;
  readonly durationS: number;
  readonly prepareS: number;
  readonly startWindowS: number;
  readonly releaseS: number;
  /** whole seconds until it expires by the database's clock, never negative */
  readonly secondsLeft: number;
};

/** Where a list begins that begins with the latest: no UUID v7 is larger. */
export const LAST_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

const readRow = togetherAt(readRows);

/**
 * An offer of this owner, or undefined. It is EXPIRED when its time is up, even before the sweeper
 * comes.
 *
 * @param owner undefined: an offer of anybody
 */
export async function findOffer(
  database: Database,
  id: OfferId,
  owner: string | undefined,
): Promise<OfferRow | undefined> {
  const found = Object(await readRow(database, id));
  return found.id === null || (owner ?? found.owner) !== found.owner ? undefined : offerOf(found);
}

/** The offers of an answer as they are now, in its order. */
export async function readOfferRows(database: Database, ask: AskId): Promise<readonly OfferRow[]> {
  return (
    await queryFast(
      database,
      'read_offers',
      'SELECT * FROM shown_offer WHERE ask = $1::uuid ORDER BY place',
      [ask],
    )
  ).map(offerOf);
}

/** The offers of several answers as they are now, each in the order of its answer. */
export async function readOffersOf(
  database: Database,
  asks: readonly AskId[],
): Promise<readonly OfferRow[]> {
  const text = 'SELECT * FROM shown_offer WHERE ask = ANY ($1::uuid[]) ORDER BY place';
  return (await queryFast(database, 'read_offers_of', text, [asks])).map(offerOf);
}

/** The place of an offer among all of its owner's: the ask, and its place in the answer. */
export type OfferPlace = Pick<OfferRow, 'ask' | 'place'>;

/**
 * Offers of an owner as they are now: those of the latest ask first, each answer in its order.
 *
 * @param after the list begins after this place
 */
export async function listOffers(
  database: Database,
  owner: string,
  after: OfferPlace | undefined,
  limit: number,
): Promise<readonly OfferRow[]> {
  const { ask, place } = after ?? { ask: LAST_UUID, place: -1 };
  const text = `SELECT * FROM shown_offer WHERE owner >= $1 AND (owner, ask) <= ($1, $2::uuid)
    AND (ask < $2::uuid OR place > $3::int)
    ORDER BY owner DESC, ask DESC, place LIMIT $4::int`;
  return (await queryFast(database, 'list_offers', text, [owner, ask, place, limit])).map(offerOf);
}

/** A row of the view `shown_offer`. */
export function offerOf(row: unknown): OfferRow {
  const offer: OfferRow & { readonly promise: KeptPromise } = Object(row);
  return { ...offer, promise: wholePromise(offer.promise, offer.document) };
}

/** One row for each offer; its columns are null where there is none. */
function readRows(database: Database, ids: readonly OfferId[]): Promise<readonly unknown[]> {
  return queryFast(
    database,
    'find_offers',
    `SELECT found.* FROM jsonb_array_elements_text($1::jsonb) WITH ORDINALITY AS wanted (id, n)
    LEFT JOIN LATERAL (SELECT * FROM shown_offer WHERE id = wanted.id::uuid OFFSET 0) AS found ON true
    ORDER BY wanted.n`,
    [JSON.stringify(ids)],
  );
}
