import { Router, type Request, type Response } from 'express';
import type { Database } from '../../db/client.ts';
import { printExplanation, shownSteps, type Explained } from '../../dialects/seed/explanation.ts';
import { ownerOf, type Principal } from '../../identity/principal.ts';
import { findAsk, findAskOfOffer, type KeptAsk } from '../../planner/record/kept-ask.ts';
import { readOfferRows } from '../../planner/record/ledger.ts';
import type { Planner } from '../../planner/planner.ts';
import type { Rates } from '../../quotas/rates.ts';
import { quotasOf } from '../../quotas/scopes.ts';
import type { Site } from '../../site/site.ts';
import { parseAskId, parseOfferId } from '../../words/ids.ts';
import { Problem } from '../../words/problem.ts';
import { explanationText } from './explanation-text.ts';
import { principalOf } from '../identified.ts';
import { unknownOffer } from './offer-updates.ts';
import { reply } from '../body/reply.ts';
import { representationOf, requireAcceptable } from '../body/representation.ts';
import { tooManyAsks } from './too-many-asks.ts';

export type ExplainParts = {
  readonly database: Database;
  readonly planner: Pick<Planner, 'replay'>;
  readonly site: () => Site;
  readonly baseUrl: (request: Request) => string;
  readonly rates: Rates;
};

const isAdministrator = (principal: Principal): boolean => principal.kind === 'user' && principal.administrator;
const ownerFor = (principal: Principal): string | undefined => (isAdministrator(principal) ? undefined : ownerOf(principal));

const unknownAsk = (ident: string): Problem => new Problem('ask-unknown', `There is no ask ${ident.slice(0, 60)} of yours.`);

/** A document, or what it says as text for people. */
const OFFERED = ['yaml', 'json', 'text'] as const;

/** How answers were come to, for whoever they were given to and for administrators. */
export const explainRoutes = ({ database, planner, site, baseUrl, rates }: ExplainParts): Router => {
  /** Counts as an ask, since the rules decide again. */
  const spend = (principal: Principal): void => {
    const wait = rates.take(quotasOf(site().quotas, principal));
    if (wait !== undefined) throw tooManyAsks(wait);
  };

  const send = async (kept: KeptAsk, request: Request, response: Response): Promise<void> => {
    const principal = principalOf(request);
    const explained: Explained = { kept, replay: await planner.replay(kept), offers: await readOfferRows(database, kept.id), seesAll: isAdministrator(principal) };
    const document = printExplanation(explained, baseUrl(request));
    if (representationOf(request, OFFERED) !== 'text') return reply(request, response, 200, { explanation: document });
    const text = await explanationText(document, shownSteps(explained));
    response.status(200).set('Cache-Control', 'no-store').vary('Accept').type('text/plain').send(text);
  };

  const router = Router();
  const acceptable = requireAcceptable<{ ident: string }>(OFFERED);
  router.get('/asks/:ident/explain', acceptable, async (request, response) => {
    const { ident } = request.params;
    const principal = principalOf(request);
    const id = parseAskId(ident.toLowerCase());
    spend(principal);
    const kept = id && await findAsk(database, id, ownerFor(principal));
    if (kept === undefined) throw unknownAsk(ident);
    await send(kept, request, response);
  });
  router.get('/offers/:ident/explain', acceptable, async (request, response) => {
    const { ident } = request.params;
    const principal = principalOf(request);
    const id = parseOfferId(ident.toLowerCase());
    spend(principal);
    const kept = id && await findAskOfOffer(database, id, ownerFor(principal));
    if (kept === undefined) throw unknownOffer(ident);
    await send(kept, request, response);
  });
  return router;
};
