import { queryFast, type Database } from '../../db/client.ts';
import { stopperText, type Stopper } from '../../identity/stopper.ts';
import type { OfferId } from '../../words/ids.ts';
import type { Seconds } from '../../words/units.ts';
import type { DecisionKey } from '../guard.ts';
import type { SessionState } from '../states.ts';

/** How a site treats jobs whose offer is accepted. */
export type AcceptTerms = {
  readonly start: 'AUTO' | 'CLIENT';
  readonly queueLimit: Seconds;
  readonly keepResults: Seconds;
};

export type AcceptVerdict = {
  readonly verdict:
    | 'accepted'
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

/**
 * Accepts an offer in one transaction. The database's clock decides whether it is in time:
 * `accept_offer` in prisma/functions.sql.
 *
 * @param key kept in the same transaction; the verdict is `mismatch` when another request used it
 */
export async function acceptOffer(
  database: Database,
  id: OfferId,
  owner: string,
  terms: AcceptTerms,
  key?: DecisionKey,
): Promise<AcceptVerdict> {
  const once = key === undefined ? [] : [JSON.stringify(key)];
  const name = key === undefined ? 'accept_offer' : 'accept_offer_once';
  const [answer] = await queryFast(
    database,
    name,
    `
    SELECT verdict, state::text, winner
    FROM ${name}(${key === undefined ? '' : '$6::jsonb, '}$1::uuid, $2, $3::start_mode,
      make_interval(secs => $4), make_interval(secs => $5))`,
    [id, owner, terms.start, terms.queueLimit, terms.keepResults, ...once],
  );
  if (answer === undefined) throw new Error('accept_offer returned nothing');
  return Object(answer);
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
