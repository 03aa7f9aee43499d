import { Router, type Request } from 'express';
import type { OwnDocuments } from '../../planner/dialect.ts';
import { listOffersIn } from '../../planner/record/list-offers.ts';
import { isState, type SessionState } from '../../planner/states.ts';
import { printableOffer } from '../../planner/told.ts';
import { isXmlText } from '../../xml/escape.ts';
import { reply } from '../body/reply.ts';
import { requireAcceptable } from '../body/representation.ts';
import { principalOf } from '../identified.ts';
import { pageLimit, OWN_PAGE, pageOf, placeAfter, printPlace } from './pages.ts';
import { tellNext, whoseWanted, type ListParts } from './whose.ts';

/** What clients were offered, in any vocabulary: a client that lost an answer finds what it holds. */
export function offerLists(parts: ListParts & Pick<OwnDocuments, 'printOffers'>): Router {
  const { database, baseUrl, printOffers } = parts;
  const router = Router();
  router.get('/offers', requireAcceptable(), async (request, response) => {
    const reader = principalOf(request);
    const whose = await whoseWanted(database, request);
    const filter = { whose, states: statesIn(request), destinations: destinationsIn(request) };
    const after = placeAfter(request, 'after');
    const { items, next } = await pageOf(
      pageLimit(request, OWN_PAGE),
      (most) => listOffersIn(database, filter, after, most),
      printPlace,
    );
    tellNext(parts, request, response, next);
    const offers = items.map((row) => printableOffer(row, reader));
    reply(request, response, 200, printOffers(offers, next, baseUrl(request)));
  });
  return router;
}

/** The states that a client wants, in words that the contract has checked; undefined: any. */
function statesIn({ query }: Request): readonly SessionState[] | undefined {
  const given = query['status'];
  return given === undefined ? undefined : [given].flat().map(String).filter(isState);
}

/** The destinations that a client wants; undefined: any. PostgreSQL refuses NUL, and none has it. */
function destinationsIn({ query }: Request): readonly string[] | undefined {
  const given = query['destination'];
  return given === undefined ? undefined : [given].flat().map(String).filter(isXmlText);
}
