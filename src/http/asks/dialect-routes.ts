import { Router, type Request, type RequestHandler } from 'express';
import type { Logger } from 'pino';
import { ownerOf } from '../../identity/principal.ts';
import { converse, type ConversationParts } from '../../planner/conversation.ts';
import type { Dialect, ToldAnswer } from '../../planner/dialect.ts';
import { printable } from '../../planner/told.ts';
import type { Site } from '../../site/site.ts';
import { parseOfferId, type OfferId } from '../../words/ids.ts';
import { Problem } from '../../words/problem.ts';
import { tellAudit } from '../audit.ts';
import { bodyParser } from '../body/body.ts';
import type { Documents } from '../body/documents.ts';
import { reply } from '../body/reply.ts';
import { requireAcceptable } from '../body/representation.ts';
import { passThrough } from '../body/pass-through.ts';
import { principalOf } from '../identified.ts';
import { readDecisionKey } from './idempotency.ts';
import { openOfferUpdates, unknownOffer } from './offer-updates.ts';
import { recordBytes, type RoomToKeep } from './room-to-keep.ts';
import { tryLater } from './try-later.ts';

export type DialectRouteParts = {
  readonly conversation: ConversationParts;
  readonly site: () => Site;
  readonly baseUrl: (request: Request) => string;
  readonly documents: Documents;
  /** largest body of an ask, KiB */
  readonly maxBodyKib: number;
  /**
   * holds requests against the contract; undefined for a dialect of
   * which the contract does not know
   */
  readonly checked: RequestHandler | undefined;
  readonly roomToKeep: RoomToKeep;
  readonly decided: (verdict: string) => void;
  readonly log: Logger;
};

/** The planner's side of the conversation over HTTP, in one dialect: ask, look, accept, reject. */
export function dialectRoutes(dialect: Dialect, parts: DialectRouteParts): Router {
  const router = Router();
  const { ask, offer } = dialect.routes;
  const acceptable = requireAcceptable();
  const checks = parts.checked === undefined ? [acceptable] : [parts.checked, acceptable];
  router.post(ask, answerAsks(dialect, parts, checks));
  router.get(offer, ...checks, showOffers(dialect, parts));
  const body = bodyParser(
    dialect.wrappers.update,
    Math.min(UPDATE_KIB, parts.maxBodyKib),
    parts.documents,
  );
  router.post(offer, ...body, ...checks, updateOffers(dialect, parts));
  return router;
}

/** An update of an offer is a few words. */
const UPDATE_KIB = 16;

function answerAsks(
  dialect: Dialect,
  parts: DialectRouteParts,
  checks: readonly RequestHandler[],
): RequestHandler {
  const { conversation, baseUrl, documents, maxBodyKib, checked } = parts;
  const read = passThrough(...bodyParser(dialect.wrappers.ask, maxBodyKib, documents), ...checks);
  return (request, response) => {
    const isDryRun = isSaid(request, 'dry-run', false);
    return converse(conversation, {
      principal: principalOf(request),
      open: async () => {
        await read(request, response);
        if (checked === undefined) dialect.requireShape(request.body);
        return dialect.open(request.body);
      },
      key: () => (isDryRun ? undefined : readDecisionKey(request)),
      isDryRun,
      wantsNearest: isSaid(request, 'nearest', true),
      tell: async (answer, asking) => {
        const { status, headers, document } = asking.printAnswer(answer, baseUrl(request));
        response.set(tryLater(codesOf(answer))).set(headers);
        reply(request, response, status, document);
      },
    });
  };
}

/** A switch in the query; the contract says which values there are. */
function isSaid(request: Request, name: 'dry-run' | 'nearest', otherwise: boolean): boolean {
  return String(request.query[name] ?? otherwise) === 'true';
}

function codesOf(answer: ToldAnswer): readonly string[] {
  return 'reasons' in answer ? answer.reasons.map(({ code }) => code) : [];
}

function showOffers(
  dialect: Dialect,
  { conversation, site, baseUrl }: DialectRouteParts,
): RequestHandler {
  const offers = openOfferUpdates(conversation.database, site);
  return async (request, response) => {
    const offer = await offers.show(identOf(request), principalOf(request));
    reply(request, response, 200, dialect.printOffer(printable(offer), baseUrl(request)));
  };
}

function identOf(request: Request): OfferId {
  const { ident } = request.params;
  const id = typeof ident === 'string' ? parseOfferId(ident.toLowerCase()) : undefined;
  if (id === undefined) throw unknownOffer(ident);
  return id;
}

function updateOffers(dialect: Dialect, parts: DialectRouteParts): RequestHandler {
  const { conversation, site, baseUrl, roomToKeep, decided, log } = parts;
  const offers = openOfferUpdates(conversation.database, site);
  return async (request, response) => {
    const [id, caller] = [identOf(request), principalOf(request)];
    const owner = ownerOf(caller);
    const wanted = dialect.readUpdate(request.body, id);
    tellAudit(request, `status=${wanted.to}`);
    const key = readDecisionKey(request);
    if (key !== undefined) await roomToKeep(caller, recordBytes(key));
    const verdict = await offers.update(wanted, id, caller, key).catch((error: unknown) => {
      if (error instanceof Problem) {
        decided(error.code);
        log.info({ offer: id, owner, asked: wanted.to, refused: error.code }, 'update refused');
      }
      throw error;
    });
    decided(`${wanted.to.toLowerCase()}:${verdict}`);
    log.info({ offer: id, owner, asked: wanted.to, verdict }, 'updated');
    const row = await offers.show(id, caller);
    // An executor may have the job by now: what is told is what the update did.
    const offer = printable(verdict === 'accepted' ? { ...row, state: 'ACCEPTED' } : row);
    reply(request, response, 200, dialect.printOffer(offer, baseUrl(request)));
  };
}
