import { queryFast, type Database } from '../../db/client.ts';
import type { AskId, OfferId } from '../../words/ids.ts';
import type { Proposal } from '../offer.ts';
import type { SessionState } from '../states.ts';
import { wholePromise, type KeptPromise } from './shared-parts.ts';

/** An offer of the book as it is now. */
export type OfferRow = {
  readonly id: OfferId;
  readonly ask: AskId;
  /** the document of its ask; null in records of earlier versions */
  readonly document: unknown;
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

const OFFER_ROW = `
    SELECT o.id, o.ask_id AS ask, o.owner, i.name AS "ownerName",
      CASE WHEN state = 'OFFERED' AND expires_at <= clock_timestamp() THEN 'EXPIRED' ELSE state::text END AS state,
      destination_id AS destination, promise, a.document, o.created_at AS "createdAt", decided_at AS "decidedAt",
        starts_at AS "startsAt", expires_at AS "expiresAt", duration_s AS "durationS",
        prepare_s AS "prepareS", start_window_s AS "startWindowS", release_s AS "releaseS",
      CASE WHEN state = 'OFFERED' THEN greatest(0,
        floor(extract(epoch FROM expires_at - clock_timestamp())))::int ELSE 0 END AS "secondsLeft"
    FROM offer o JOIN ask a ON a.id = o.ask_id LEFT JOIN identity i ON i.owner = o.owner`;

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
  const [row] = await queryFast(
    database,
    'find_offer',
    `${OFFER_ROW} WHERE o.id = $1::uuid AND o.owner = coalesce($2::text, o.owner)`,
    [id, owner ?? null],
  );
  return row === undefined ? undefined : offerOf(row);
}

/** The offers of an answer as they are now, in its order. */
export async function readOfferRows(database: Database, ask: AskId): Promise<readonly OfferRow[]> {
  return (
    await queryFast(
      database,
      'read_offers',
      `${OFFER_ROW} WHERE o.ask_id = $1::uuid ORDER BY o.place`,
      [ask],
    )
  ).map(offerOf);
}

function offerOf(row: unknown): OfferRow {
  const offer: OfferRow & { readonly promise: KeptPromise } = Object(row);
  return { ...offer, promise: wholePromise(offer.promise, offer.document) };
}
