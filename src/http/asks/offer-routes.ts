import type { Request, RequestHandler } from 'express';
import type { Logger } from 'pino';
import { ownerOf } from '../../identity/principal.ts';
import type { ConversationParts } from '../../planner/conversation.ts';
import type { Dialect } from '../../planner/dialect.ts';
import type { OfferRow } from '../../planner/record/offer-rows.ts';
import { printableOffer } from '../../planner/told.ts';
import type { Site } from '../../site/site.ts';
import { parseOfferId, type OfferId } from '../../words/ids.ts';
import { Problem } from '../../words/problem.ts';
import { tellAudit } from '../audit.ts';
import { reply } from '../body/reply.ts';
import { principalOf } from '../identified.ts';
import { readDecisionKey } from './idempotency.ts';
import { showOffer, unknownOffer, updateOffer } from './offer-updates.ts';
import { recordBytes, type RoomToKeep } from './room-to-keep.ts';

export type OfferRouteParts = {
  readonly conversation: Pick<ConversationParts, 'database'>;
  readonly site: () => Site;
  readonly baseUrl: (request: Request) => string;
  readonly roomToKeep: RoomToKeep;
  readonly decided: (verdict: string) => void;
  readonly log: Logger;
};

/** Prints an offer in the words of a dialect. */
export function showOffers(
  dialect: Dialect,
  { conversation: { database }, baseUrl }: OfferRouteParts,
): RequestHandler {
  return async (request, response) => {
    const caller = principalOf(request);
    const offer = printableOffer(await showOffer(database, identOf(request), caller), caller);
    reply(request, response, 200, dialect.printOffer(offer, baseUrl(request)));
  };
}

/** Tells the audit what an update asks for, even if it is malformed and will be refused. */
export function tellUpdates({ updateKey }: Dialect): RequestHandler {
  return (request, _response, next) => {
    const wanted: unknown = Object(request.body)[updateKey];
    if (typeof wanted === 'string') tellAudit(request, `${updateKey}=${wanted}`);
    next();
  };
}

/** Accepts, rejects or cancels an offer, and prints what became of it. */
export function updateOffers(
  dialect: Dialect,
  { conversation: { database }, site, baseUrl, roomToKeep, decided, log }: OfferRouteParts,
): RequestHandler {
  return async (request, response) => {
    const [id, caller] = [identOf(request), principalOf(request)];
    const owner = ownerOf(caller);
    const wanted = dialect.readUpdate(request.body, id);
    const key = readDecisionKey(request);
    if (key !== undefined) await roomToKeep(caller, recordBytes(key));
    const asked = { database, id, caller, key };
    const verdict = await updateOffer(asked, wanted, site().offers).catch((error: unknown) => {
      if (error instanceof Problem) {
        decided(error.code);
        log.info({ offer: id, owner, asked: wanted.to, refused: error.code }, 'update refused');
      }
      throw error;
    });
    decided(`${wanted.to.toLowerCase()}:${verdict}`);
    log.info({ offer: id, owner, asked: wanted.to, verdict }, 'updated');
    const row = await showOffer(database, id, caller);
    // An executor may have the job already; the answer says what the update did.
    const shown: OfferRow = verdict === 'accepted' ? { ...row, state: 'ACCEPTED' } : row;
    const offer = printableOffer(shown, caller);
    reply(request, response, 200, dialect.printOffer(offer, baseUrl(request)));
  };
}

function identOf(request: Request): OfferId {
  const { ident } = request.params;
  const id = typeof ident === 'string' ? parseOfferId(ident.toLowerCase()) : undefined;
  if (id === undefined) throw unknownOffer(ident);
  return id;
}
