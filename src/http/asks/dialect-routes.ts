import { Router, type Request, type RequestHandler } from 'express';
import { converse, type ConversationParts } from '../../planner/conversation.ts';
import type { Dialect } from '../../planner/dialect.ts';
import { bodyParser } from '../body/body.ts';
import type { Documents } from '../body/documents.ts';
import { passThrough } from '../body/pass-through.ts';
import { reply } from '../body/reply.ts';
import { requireAcceptable } from '../body/representation.ts';
import { principalOf } from '../identified.ts';
import { readDecisionKey } from './idempotency.ts';
import { showOffers, tellUpdates, updateOffers, type OfferRouteParts } from './offer-routes.ts';
import { tryLater } from './try-later.ts';

type DialectRouteParts = OfferRouteParts & {
  readonly conversation: ConversationParts;
  readonly documents: Documents;
  /** largest body of an ask, KiB */
  readonly maxBodyKib: number;
  /** holds requests against the contract; undefined: the contract does not have this dialect */
  readonly checked: RequestHandler | undefined;
};

/** The planner's side of the conversation over HTTP, in one dialect: ask, look, accept, reject. */
export function dialectRoutes(dialect: Dialect, parts: DialectRouteParts): Router {
  const router = Router();
  const { ask, offer } = dialect.routes;
  const { checked, documents, maxBodyKib } = parts;
  const acceptable = requireAcceptable();
  const checks = checked === undefined ? [acceptable] : [checked, acceptable];
  router.post(ask, answerAsks(dialect, parts, checks));
  router.get(offer, ...checks, showOffers(dialect, parts));
  const update = bodyParser(dialect.wrappers.update, Math.min(UPDATE_KIB, maxBodyKib), documents);
  router.post(offer, ...update, tellUpdates(dialect), ...checks, updateOffers(dialect, parts));
  return router;
}

/** An update of an offer is a few words. */
const UPDATE_KIB = 16;

function answerAsks(
  dialect: Dialect,
  { conversation, baseUrl, documents, maxBodyKib, checked }: DialectRouteParts,
  checks: readonly RequestHandler[],
): RequestHandler {
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
        response.set(tryLater('reasons' in answer ? answer.reasons : [])).set(headers);
        reply(request, response, status, document);
      },
    });
  };
}

/** A switch in the query, `true` or `false` by the contract. */
function isSaid(request: Request, name: 'dry-run' | 'nearest', otherwise: boolean): boolean {
  return String(request.query[name] ?? otherwise) === 'true';
}
