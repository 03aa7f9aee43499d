import type { Request, RequestHandler } from 'express';
import type { Logger } from 'pino';
import { ownerOf } from '../../identity/principal.ts';
import type { ConversationParts } from '../../planner/conversation.ts';
import type { Dialect, PrintableOffer } from '../../planner/dialect.ts';
import type { Site } from '../../site/site.ts';
import { parseOfferId, type OfferId } from '../../words/ids.ts';
import { Problem } from '../../words/problem.ts';
import { tellAudit } from '../audit.ts';
import { principalOf } from '../identified.ts';
import { showingOf, stateSeen } from '../sessions/showing.ts';
import { isOver, type SessionWait, type UsualWait } from '../sessions/waits.ts';
import { readDecisionKey } from './idempotency.ts';
import { showOffer, unknownOffer, updateOffer } from './offer-updates.ts';
import { recordBytes, type RoomToKeep } from './room-to-keep.ts';

export type OfferRouteParts = {
  readonly conversation: Pick<ConversationParts, 'database'>;
  readonly site: () => Site;
  readonly baseUrl: (request: Request) => string;
  readonly roomToKeep: RoomToKeep;
  readonly waitFor: SessionWait;
  readonly decided: (verdict: string) => void;
  readonly log: Logger;
};

/** Prints an offer in the words of a dialect; a session at once or when its phase has changed. */
export function showOffers(
  dialect: Dialect,
  { conversation: { database }, baseUrl, waitFor }: OfferRouteParts,
): RequestHandler {
  const { show, send } = showingOf(dialect);
  return async (request, response) => {
    const [id, reader] = [identOf(request), principalOf(request)];
    const readNow = async () => show(database, await showOffer(database, id, reader), reader);
    const isSession = dialect.sessions !== undefined;
    const offer = await (isSession ? waitFor(request, response, readNow) : readNow());
    send(request, response, dialect.printOffer(offer, baseUrl(request)));
  };
}

/** Tells the audit what an update asks for, even if it is malformed and will be refused. */
export function tellUpdates({ updateKey }: Dialect): RequestHandler {
  return (request, _response, next) => {
    const { [updateKey]: wanted, why }: Record<string, unknown> = Object(request.body);
    tellAudit(request, {
      ...(typeof wanted === 'string' && { words: `${updateKey}=${wanted}` }),
      ...(typeof why === 'string' && { why }),
    });
    next();
  };
}

/** Accepts, rejects or cancels an offer, and prints what became of it. */
export function updateOffers(dialect: Dialect, parts: OfferRouteParts): RequestHandler {
  const { conversation, site, baseUrl, roomToKeep, waitFor, decided, log } = parts;
  const { database } = conversation;
  const { show, send } = showingOf(dialect);
  return async (request, response) => {
    const [id, caller] = [identOf(request), principalOf(request)];
    const owner = ownerOf(caller);
    const wanted = dialect.readUpdate(request.body, id);
    const now = async () => show(database, await showOffer(database, id, caller), caller);
    const print = (offer: PrintableOffer) => dialect.printOffer(offer, baseUrl(request));
    const seen = dialect.sessions && (await stateSeen(request, wanted, { now, print }));
    const key = readDecisionKey(request);
    if (key !== undefined) await roomToKeep(caller, recordBytes(key));
    const asked = { database, id, caller, key, seen };
    const { verdict, accepted } = await updateOffer(asked, wanted, site().offers).catch(
      (error: unknown) => {
        if (error instanceof Problem) {
          decided(error.code);
          log.info({ offer: id, owner, asked: wanted.to, refused: error.code }, 'update refused');
        }
        throw error;
      },
    );
    decided(`${wanted.to.toLowerCase()}:${verdict}`);
    log.info({ offer: id, owner, asked: wanted.to, verdict }, 'updated');
    const isStopping = verdict === 'stopping' && dialect.sessions !== undefined;
    // An executor may have the job already; the answer says what the update did.
    const offer = await (accepted !== undefined
      ? show(database, accepted, caller, 'ACCEPTED')
      : isStopping
        ? waitFor(request, response, now, UNTIL_STOPPED)
        : now());
    send(request, response, print(offer));
  };
}

/**
 * Clients of sessions expect CANCELLED in the answer to a cancel. Of an engine that takes longer to
 * stop the job they learn at the next reading.
 */
const UNTIL_STOPPED: UsualWait = { seconds: 10, isAwaited: ({ state }) => isOver(state) };

function identOf(request: Request): OfferId {
  const { ident } = request.params;
  const id = typeof ident === 'string' ? parseOfferId(ident.toLowerCase()) : undefined;
  if (id === undefined) throw unknownOffer(ident);
  return id;
}
