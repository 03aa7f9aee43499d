import type { Database } from '../db/client.ts';
import { envelope } from '../schedule/envelope.ts';
import type { Amount } from '../schedule/amount.ts';
import type { AskId, OfferId } from '../words/ids.ts';
import type { Seconds } from '../words/units.ts';
import { spanOfProposal } from './answer.ts';
import type { Proposal } from './offer.ts';
import type { Refusal } from './refusal.ts';
import type { SessionState } from './states.ts';

/** What is kept of every ask, so that its decision can be explained and replayed (R8). */
export type AskRecord = {
  readonly id: AskId;
  readonly owner: string;
  /** the ask as understood, or the body that was not */
  readonly ask: unknown;
  readonly inputs: unknown;
  readonly rulesDigest: string;
  readonly trace: unknown;
  readonly refusals: readonly Refusal[];
};

/** A proposal with the id under which it becomes an offer. */
export type NumberedProposal = Proposal & { readonly id: OfferId };

const columns = ({ cores, memory, scratch, gpus }: Amount) => ({ cores, memory, scratch, gpuType: gpus?.type ?? null, gpus: gpus?.count ?? 0 });

const iso = (at: number): string => new Date(at).toISOString();

const holdsOf = (proposals: readonly NumberedProposal[]) =>
  [...Map.groupBy(proposals, ({ destination }) => destination)].flatMap(([destination, alternatives]) => {
    const expiresAt = Math.max(...alternatives.map((one) => one.expiresAt));
    return envelope(alternatives.map((one) => ({ during: spanOfProposal(one), amount: one.amount }))).map(({ during, amount }) => ({
      destination, startsAt: iso(during.start), endsAt: iso(during.end), expiresAt: iso(expiresAt), ...columns(amount),
    }));
  });

const offerRow = (one: NumberedProposal, place: number) => ({
  id: one.id, place, destination: one.destination, runner: one.runner, promise: one.promised, ...columns(one.amount),
  expiresAt: iso(one.expiresAt), startsAt: iso(one.startsAt),
  durationS: one.duration, startWindowS: one.startWindow, releaseS: one.release,
});

/**
 * Writes an answer with its offers and holds in one transaction, or nothing.
 *
 * @returns false when the capacity was taken between reading the book and now: read it again and plan anew.
 */
export const placeAnswer = async (database: Database, record: AskRecord, proposals: readonly NumberedProposal[]): Promise<boolean> => {
  const ask = {
    id: record.id, owner: record.owner, result: proposals.length > 0 ? 'YES' : 'NO', description: record.ask, inputs: record.inputs,
    rulesDigest: record.rulesDigest, trace: record.trace, reasons: record.refusals,
  };
  const offers = proposals.map(offerRow);
  const [answer] = await database.$queryRaw<{ verdict: string }[]>`
    SELECT place_answer(${JSON.stringify(ask)}::jsonb, ${JSON.stringify(offers)}::jsonb, ${JSON.stringify(holdsOf(proposals))}::jsonb) AS verdict`;
  return answer?.verdict === 'placed';
};

/** How a site treats jobs whose offer is accepted. */
export type AcceptTerms = { readonly start: 'AUTO' | 'CLIENT'; readonly queueLimit: Seconds; readonly keepResults: Seconds };

export type AcceptVerdict = {
  readonly verdict: 'accepted' | 'again' | 'sibling' | 'expired' | 'illegal' | 'unknown';
  readonly state: SessionState | null;
  readonly winner: OfferId | null;
};

/** Accepts an offer in one transaction, decided by the database's clock (R5, R6): `accept_offer` in prisma/migrations. */
export const acceptOffer = async (database: Database, id: OfferId, owner: string, terms: AcceptTerms): Promise<AcceptVerdict> => {
  const [answer] = await database.$queryRaw<AcceptVerdict[]>`
    SELECT verdict, state::text, winner FROM accept_offer(${id}::uuid, ${owner}, ${terms.start}::start_mode,
      make_interval(secs => ${terms.queueLimit}), make_interval(secs => ${terms.keepResults}))`;
  if (answer === undefined) throw new Error('accept_offer returned nothing');
  return answer;
};

export type RejectVerdict = { readonly verdict: 'rejected' | 'again' | 'expired' | 'illegal' | 'unknown'; readonly state: SessionState | null };

/** Rejects an offer; what is held for its siblings stays: `reject_offer` in prisma/migrations. */
export const rejectOffer = async (database: Database, id: OfferId, owner: string): Promise<RejectVerdict> => {
  const [answer] = await database.$queryRaw<RejectVerdict[]>`SELECT verdict, state::text FROM reject_offer(${id}::uuid, ${owner})`;
  if (answer === undefined) throw new Error('reject_offer returned nothing');
  return answer;
};

/** A row of the book as it is read back. */
export type OfferRow = {
  readonly id: OfferId;
  readonly state: SessionState;
  readonly destination: string;
  readonly promise: Proposal['promised'];
  readonly startsAt: Date;
  readonly expiresAt: Date;
  readonly durationS: number;
  /** whole seconds until it expires by the database's clock, never negative */
  readonly secondsLeft: number;
};

/** An offer of this owner, or undefined. An offer whose time is up reads EXPIRED even before the sweeper comes. */
export const findOffer = async (database: Database, id: OfferId, owner: string): Promise<OfferRow | undefined> => {
  const [row] = await database.$queryRaw<OfferRow[]>`
    SELECT id, CASE WHEN state = 'OFFERED' AND expires_at <= clock_timestamp() THEN 'EXPIRED' ELSE state::text END AS state,
      destination_id AS destination, promise, starts_at AS "startsAt", expires_at AS "expiresAt", duration_s AS "durationS",
      CASE WHEN state = 'OFFERED' THEN greatest(0, floor(extract(epoch FROM expires_at - clock_timestamp())))::int ELSE 0 END AS "secondsLeft"
    FROM offer WHERE id = ${id}::uuid AND owner = ${owner}`;
  return row;
};

/** Asks for the end of an accepted job; `over` when it had ended. */
export const cancelJob = async (database: Database, id: OfferId): Promise<'cancelled' | 'stopping' | 'over'> => {
  const error = { code: 'aborted', type: 'fatal', message: 'The job was cancelled by its owner.' };
  const [answer] = await database.$queryRaw<{ verdict: 'cancelled' | 'stopping' | 'over' }[]>`
    SELECT abort_job(${id}::uuid, ${JSON.stringify(error)}::jsonb) AS verdict`;
  return answer?.verdict ?? 'over';
};
