import { Router, type Request, type Response } from 'express';
import type { Database } from '../../db/client.ts';
import type { OwnDocuments } from '../../planner/dialect.ts';
import type { Explained } from '../../planner/explain/explained.ts';
import { findAsk, findAskOfOffer, type KeptAsk } from '../../planner/record/kept-ask.ts';
import { readOfferRows } from '../../planner/record/offer-rows.ts';
import type { Planner } from '../../planner/planner.ts';
import { parseAskId, parseOfferId } from '../../words/ids.ts';
import { Problem } from '../../words/problem.ts';
import { principalOf } from '../identified.ts';
import { isAdministrator, unknownOffer, ownerSeenBy } from './offer-updates.ts';
import { reply } from '../body/reply.ts';
import { representationOf, requireAcceptable } from '../body/representation.ts';
import type { SpendRate } from './too-many-asks.ts';

type ExplainParts = {
  readonly database: Database;
  readonly planner: Pick<Planner, 'replay'>;
  readonly baseUrl: (request: Request) => string;
  /** an explanation costs as much as an ask, since the rules decide again */
  readonly spendRate: SpendRate;
  readonly printExplanation: OwnDocuments['printExplanation'];
};

/** A document, or a text for people. */
const OFFERED = ['yaml', 'json', 'xml', 'text'] as const;

/** How answers came about, for their owners and for administrators. */
export function explainRoutes({
  database,
  planner,
  baseUrl,
  spendRate,
  printExplanation,
}: ExplainParts): Router {
  const send = async (kept: KeptAsk, request: Request, response: Response): Promise<void> => {
    const principal = principalOf(request);
    const explained: Explained = {
      kept,
      replay: await planner.replay(kept),
      offers: await readOfferRows(database, kept.id),
      seesAll: isAdministrator(principal),
    };
    const { document, toText } = printExplanation(explained, baseUrl(request));
    if (representationOf(request, OFFERED) !== 'text')
      return reply(request, response, 200, document);
    const text = await toText();
    response
      .status(200)
      .set('Cache-Control', 'no-store')
      .vary('Accept')
      .type('text/plain')
      .send(text);
  };

  const router = Router();
  const acceptable = requireAcceptable<{ ident: string }>(OFFERED);
  router.get('/asks/:ident/explain', acceptable, async (request, response) => {
    const { ident } = request.params;
    const principal = principalOf(request);
    const id = parseAskId(ident.toLowerCase());
    spendRate(principal);
    const kept = id && (await findAsk(database, id, ownerSeenBy(principal)));
    if (kept === undefined) throw unknownAsk(ident);
    await send(kept, request, response);
  });
  router.get('/offers/:ident/explain', acceptable, async (request, response) => {
    const { ident } = request.params;
    const principal = principalOf(request);
    const id = parseOfferId(ident.toLowerCase());
    spendRate(principal);
    const kept = id && (await findAskOfOffer(database, id, ownerSeenBy(principal)));
    if (kept === undefined) throw unknownOffer(ident);
    await send(kept, request, response);
  });
  return router;
}

/** The problem of an ask that there is not, or not for this client. */
export function unknownAsk(ident: string): Problem {
  return new Problem('ask-unknown', `There is no ask ${ident.slice(0, 60)} of yours.`);
}
