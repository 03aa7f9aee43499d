import type { Database } from '../../db/client.ts';
import { Prisma } from '../../generated/prisma/client.ts';
import type { Whose } from '../../identity/owners.ts';
import type { SessionState } from '../states.ts';
import { LAST_UUID, offerOf, type OfferPlace, type OfferRow } from './offer-rows.ts';

/** Filters of the list of offers; an offer must pass all of them. */
export type OfferListFilter = {
  readonly whose: Whose;
  /** undefined: any */
  readonly states: readonly SessionState[] | undefined;
  /** undefined: any */
  readonly destinations: readonly string[] | undefined;
};

/**
 * Offers as they are now: those of the latest ask first, each answer in its order.
 *
 * @param after the list begins after this place
 */
export async function listOffersIn(
  database: Database,
  { whose, states, destinations }: OfferListFilter,
  after: OfferPlace | undefined,
  limit: number,
): Promise<readonly OfferRow[]> {
  const { ask, place } = after ?? { ask: LAST_UUID, place: -1 };
  const wanted = (isListed: Prisma.Sql, order: Prisma.Sql): Prisma.Sql => Prisma.sql`
    SELECT o.* FROM shown_offer o
    WHERE ${isListed} AND (o.ask < ${ask}::uuid OR o.place > ${place}::int)
    ${inStates(states, whose)} ${atDestinations(destinations)}
    ORDER BY ${order}o.ask DESC, o.place LIMIT ${limit}`;
  const ofOwner = Prisma.sql`o.owner >= whose.owner AND (o.owner, o.ask) <= (whose.owner, ${ask}::uuid)`;
  const rows =
    whose === 'everybody'
      ? await database.$queryRaw<readonly object[]>(
          wanted(Prisma.sql`o.ask <= ${ask}::uuid`, Prisma.empty),
        )
      : await database.$queryRaw<readonly object[]>`
          SELECT e.* FROM unnest(${whose}::text[]) AS whose (owner)
          CROSS JOIN LATERAL (${wanted(ofOwner, Prisma.sql`o.owner DESC, `)}) AS e
          ORDER BY e.ask DESC, e.place LIMIT ${limit}`;
  return rows.map(offerOf);
}

function inStates(states: readonly SessionState[] | undefined, whose: Whose): Prisma.Sql {
  if (states === undefined) return Prisma.empty;
  const isInState = Prisma.sql`AND o.state = ANY (${states}::text[])`;
  if (states.some((state) => state !== 'OFFERED')) return isInState;
  // Few of an owner's offers are open, and they have an index of their own.
  const ofOwners = whose === 'everybody' ? Prisma.empty : Prisma.sql`AND x.owner = ANY (${whose})`;
  return Prisma.sql`${isInState} AND o.id = ANY (ARRAY(
    SELECT x.id FROM offer x WHERE x.state = 'OFFERED' ${ofOwners}))`;
}

function atDestinations(destinations: readonly string[] | undefined): Prisma.Sql {
  if (destinations === undefined) return Prisma.empty;
  return Prisma.sql`AND o.destination = ANY (${destinations}::text[])`;
}
