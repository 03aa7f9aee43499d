import { Router, type Request, type Response } from 'express';
import type { Logger } from 'pino';
import type { Database } from '../../db/client.ts';
import { printOffer } from '../../dialects/seed/print.ts';
import { readSeedAsk, type SeedAsk } from '../../dialects/seed/read.ts';
import { revise } from '../../dialects/seed/revise.ts';
import { wordingOf } from '../../dialects/seed/wording.ts';
import type { components } from '../../generated/api.d.ts';
import { ownerOf } from '../../identity/principal.ts';
import type { Revise } from '../../planner/nearest/advice.ts';
import type { Planner } from '../../planner/planner.ts';
import { findDecision, readAnswer } from '../../planner/record/recorded-answer.ts';
import type { KnownTypes } from '../../plugins/types.ts';
import type { Site } from '../../site/site.ts';
import { parseOfferId, type AskId, type OfferId } from '../../words/ids.ts';
import { Problem } from '../../words/problem.ts';
import { printable, printAnswer, printMisunderstood, printRecorded, printRehearsal, type AnswerBody, type PrintedFor } from './answers.ts';
import { readDecisionKey } from './idempotency.ts';
import { principalOf } from '../identified.ts';
import { openOfferUpdates, unknownOffer } from './offer-updates.ts';
import { reply } from '../body/reply.ts';
import { requireAcceptable } from '../body/representation.ts';
import { recordBytes, type RoomToKeep } from './room-to-keep.ts';
import { tryLater } from './try-later.ts';
import { vocabularyOf } from './vocabulary.ts';

export type OfferParts = {
  readonly database: Database;
  readonly planner: Planner;
  readonly site: () => Site;
  readonly types: KnownTypes;
  readonly baseUrl: (request: Request) => string;
  readonly log: Logger;
  readonly decided: (verdict: string) => void;
  readonly roomToKeep: RoomToKeep;
};

type Update = components['schemas']['OfferUpdate'];

/** A switch in the query, which the contract has checked. */
const isSaid = (request: Request, name: 'dry-run' | 'nearest', otherwise: boolean): boolean => String(request.query[name] ?? otherwise) === 'true';

const identOf = (request: Request): OfferId => {
  const { ident } = request.params;
  const id = typeof ident === 'string' ? parseOfferId(ident.toLowerCase()) : undefined;
  if (id === undefined) throw unknownOffer(ident);
  return id;
};

/** Ask, look, accept, reject: the planner's side of the conversation in the 2023 vocabulary. */
export const offerRoutes = ({ database, planner, site, types, baseUrl, log, decided, roomToKeep }: OfferParts): Router => {
  const offers = openOfferUpdates(database, site);
  const placeOf = (request: Request): PrintedFor => ({ base: baseUrl(request), body: Object(request.body) });
  const sendAnswer = (request: Request, response: Response, body: AnswerBody): void => {
    response.set(tryLater('reasons' in body.response ? body.response.reasons.map(({ code }) => code) : []));
    reply(request, response, 200, body);
  };
  const sendRecorded = async (ask: AskId, request: Request, response: Response): Promise<void> =>
    sendAnswer(request, response, printRecorded(ask, await readAnswer(database, ask), placeOf(request)));
  /** Changed asks are read as the client would send them, so that what is found can be sent. */
  const reviserOf = (request: Request, body: SeedAsk): Revise | undefined => (!isSaid(request, 'nearest', true) ? undefined : (changes) => {
    const again = readSeedAsk(revise(body, changes).body, vocabularyOf(types, site()));
    return again.ok ? again.ask : undefined;
  });
  const router = Router();
  const acceptable = requireAcceptable();
  router.post('/request', acceptable, async (request, response) => {
    const principal = principalOf(request);
    const body: SeedAsk = Object(request.body);
    const place = placeOf(request);
    const revision = reviserOf(request, body);
    const understood = readSeedAsk(body, vocabularyOf(types, site()));
    if (isSaid(request, 'dry-run', false)) {
      const rehearsal = understood.ok
        ? printRehearsal(await planner.rehearse(understood.ask, principal, revision), principal, place) : printMisunderstood(understood.refusals, place);
      return sendAnswer(request, response, rehearsal);
    }
    const key = readDecisionKey(request);
    const before = key && await findDecision(database, ownerOf(principal), key);
    if (before !== undefined) return sendRecorded(before, request, response);
    await roomToKeep(principal, recordBytes(body));
    const answer = understood.ok
      ? await planner.ask(understood.ask, principal, { document: body, key, revise: revision, wording: wordingOf(body) })
      : await planner.refuse(understood.refusals, principal, { document: body, key, wording: wordingOf(body) });
    if (answer.result === 'AGAIN') return sendRecorded(answer.ask, request, response);
    return sendAnswer(request, response, printAnswer(answer, principal, place));
  });
  router.get('/offers/:ident', acceptable, async (request, response) => {
    const offer = await offers.show(identOf(request), principalOf(request));
    reply(request, response, 200, { offer: printOffer(printable(offer), baseUrl(request)) });
  });
  router.post('/offers/:ident', acceptable, async (request, response) => {
    const [id, caller] = [identOf(request), principalOf(request)];
    const owner = ownerOf(caller);
    const wanted: Update = Object(request.body);
    if (wanted.ident !== undefined && wanted.ident.toLowerCase() !== id) {
      throw new Problem('parameter-invalid', `The body names offer ${wanted.ident}, the URL ${id}.`, { errors: [{ path: 'ident', text: `must be ${id}` }] });
    }
    const key = readDecisionKey(request);
    if (key !== undefined) await roomToKeep(caller, recordBytes(key));
    const verdict = await offers.update(wanted, id, caller, key).catch((error: unknown) => {
      if (error instanceof Problem) {
        decided(error.code);
        log.info({ offer: id, owner, asked: wanted.status, refused: error.code }, 'update refused');
      }
      throw error;
    });
    decided(`${wanted.status.toLowerCase()}:${verdict}`);
    log.info({ offer: id, owner, asked: wanted.status, verdict }, 'updated');
    const row = await offers.show(id, caller);
    // An executor may have the job by now: what is told is what the update did.
    const offer = printable(verdict === 'accepted' ? { ...row, state: 'ACCEPTED' } : row);
    reply(request, response, 200, { offer: printOffer(offer, baseUrl(request)) });
  });
  return router;
};
