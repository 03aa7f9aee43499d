import { queryFast, type Database } from '../../db/client.ts';
import { togetherAt } from '../../db/together.ts';
import { stopperText, type Stopper } from '../../identity/stopper.ts';
import type { OfferId } from '../../words/ids.ts';
import type { Seconds } from '../../words/units.ts';
import type { DecisionKey } from '../guard.ts';
import type { SessionState } from '../states.ts';
import { offerOf, type OfferRow } from './offer-rows.ts';

/** How a site treats jobs whose offer is accepted. */
export type AcceptTerms = {
  readonly start: 'AUTO' | 'CLIENT';
  readonly queueLimit: Seconds;
  readonly keepResults: Seconds;
};

/** What became of an accept: the offer that it accepted, or why it accepted none. */
export type AcceptVerdict =
  | { readonly verdict: 'accepted'; readonly offer: OfferRow }
  | NotAccepted;

type NotAccepted = {
  readonly verdict:
    | 'again'
    | 'destroyed'
    | 'sibling'
    | 'expired'
    | 'illegal'
    | 'unknown'
    | 'mismatch';
  readonly state: SessionState | null;
  readonly winner: OfferId | null;
};

type Accept = {
  readonly id: OfferId;
  readonly owner: string;
  readonly terms: AcceptTerms;
  readonly key: DecisionKey | undefined;
};

const accept = togetherAt(acceptAll);

/**
 * Accepts an offer, in one transaction with others that arrive at the same time. The database's
 * clock decides whether it is in time: `accept_offers` in prisma/functions.sql.
 *
 * @param key kept in the same transaction; the verdict is `mismatch` when another request used it
 */
export function acceptOffer(
  database: Database,
  id: OfferId,
  owner: string,
  terms: AcceptTerms,
  key?: DecisionKey,
): Promise<AcceptVerdict> {
  return accept(database, { id, owner, terms, key });
}

/** A database, or a transaction that the caller ends. */
export type Transaction = Pick<Database, '$queryRaw'>;

type RejectVerdict = {
  readonly verdict: 'rejected' | 'again' | 'expired' | 'illegal' | 'unknown';
  readonly state: SessionState | null;
};

/** Rejects an offer and keeps the holds of its siblings: `reject_offer` in prisma/functions.sql. */
export async function rejectOffer(
  database: Transaction,
  id: OfferId,
  owner: string,
): Promise<RejectVerdict> {
  const [answer] = await database.$queryRaw<
    RejectVerdict[]
  >`SELECT verdict, state::text FROM reject_offer(${id}::uuid, ${owner})`;
  if (answer === undefined) throw new Error('reject_offer returned nothing');
  return answer;
}

export type CancelVerdict = 'cancelled' | 'stopping' | 'over' | 'changed';

/**
 * Stops an accepted job; `over` when it has ended already.
 *
 * @param seen the only state in which to stop it; in another, the verdict is `changed`
 */
export async function cancelJob(
  database: Transaction,
  id: OfferId,
  who: Stopper,
  seen?: SessionState,
): Promise<CancelVerdict> {
  const error = {
    code: 'aborted',
    type: 'fatal',
    message: `The job was cancelled by ${stopperText(who)}.`,
  };
  const [answer] = await database.$queryRaw<{ verdict: CancelVerdict }[]>`
    WITH o AS MATERIALIZED (SELECT state::text FROM offer WHERE id = ${id}::uuid FOR UPDATE)
    SELECT CASE WHEN o.state = coalesce(${seen ?? null}::text, o.state)
      THEN abort_job(${id}::uuid, ${JSON.stringify(error)}::jsonb) ELSE 'changed' END AS verdict
    FROM o`;
  return answer?.verdict ?? 'over';
}

async function acceptAll(
  database: Database,
  accepts: readonly Accept[],
): Promise<readonly AcceptVerdict[]> {
  const rows = await queryFast(
    database,
    'accept_offers',
    `
    SELECT verdict, state::text AS reached, winner, (accepted).*
    FROM accept_offers($1::uuid[], $2::text[], $3::start_mode[], $4::interval[], $5::interval[],
      $6::jsonb)`,
    [
      accepts.map(({ id }) => id),
      accepts.map(({ owner }) => owner),
      accepts.map(({ terms }) => terms.start),
      accepts.map(({ terms }) => `${terms.queueLimit} s`),
      accepts.map(({ terms }) => `${terms.keepResults} s`),
      JSON.stringify(accepts.map(({ key }) => key ?? null)),
    ],
  );
  return rows.map(verdictOf);
}

function verdictOf(row: unknown): AcceptVerdict {
  const { verdict, reached, winner, ...offer } = Object(row);
  return verdict === 'accepted'
    ? { verdict, offer: offerOf(offer) }
    : { verdict, state: reached, winner };
}
