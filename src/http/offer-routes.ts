import { Router, type Request } from 'express';
import type { Logger } from 'pino';
import type { Database } from '../db/client.ts';
import { printOffer, printReason, type PrintableOffer } from '../dialects/seed/print.ts';
import { readSeedAsk, type SeedAsk } from '../dialects/seed/read.ts';
import type { components } from '../generated/api.d.ts';
import { ownerOf } from '../identity/principal.ts';
import { acceptOffer, cancelJob, findOffer, rejectOffer, type OfferRow } from '../planner/ledger.ts';
import type { Answer, Planner } from '../planner/planner.ts';
import { allowedUpdates, type SessionState } from '../planner/states.ts';
import type { Site } from '../site/site.ts';
import { parseOfferId, type OfferId } from '../words/ids.ts';
import { Problem } from '../words/problem.ts';
import { principalOf } from './identified.ts';
import { reply } from './reply.ts';

export type OfferParts = {
  readonly database: Database;
  readonly planner: Planner;
  readonly site: () => Site;
  readonly baseUrl: (request: Request) => string;
  readonly log: Logger;
  readonly decided: (verdict: string) => void;
};

type Update = components['schemas']['OfferUpdate'];

const printable = (row: OfferRow): PrintableOffer => ({
  ...row, promised: row.promise, startsAt: row.startsAt.getTime(), expiresAt: row.expiresAt.getTime(),
});

const printAnswer = (answer: Answer, base: string): object => {
  if (answer.result === 'NO') return { response: { result: 'NO', reasons: answer.refusals.map(printReason) } };
  const offers = answer.offers.map((offer) => printOffer({
    ...offer, state: 'OFFERED', durationS: offer.duration, secondsLeft: Math.floor((offer.expiresAt - answer.now) / 1000),
  }, base));
  return { response: { result: 'YES', offers } };
};

const unknownOffer = (ident: unknown): Problem => new Problem('offer-unknown', `There is no offer ${String(ident).slice(0, 60)} of yours.`);

const identOf = (request: Request): OfferId => {
  const { ident } = request.params;
  const id = typeof ident === 'string' ? parseOfferId(ident.toLowerCase()) : undefined;
  if (id === undefined) throw unknownOffer(ident);
  return id;
};

const expired = (id: OfferId): Problem => new Problem('offer-expired', `Offer ${id} has expired; ask again for new offers.`, { state: 'EXPIRED', allowed: [] });

const conflict = (id: OfferId, state: SessionState, asked: string): Problem => {
  const allowed = allowedUpdates(state);
  const next = allowed.length === 0 ? 'nothing can be changed any more' : `it can go to ${allowed.join(' or ')}`;
  return new Problem('offer-state-conflict', `Offer ${id} is ${state} and cannot go to ${asked}; ${next}.`, { state, allowed });
};

/** Ask, look, accept, reject: the planner's side of the conversation in the 2023 vocabulary. */
export const offerRoutes = ({ database, planner, site, baseUrl, log, decided }: OfferParts): Router => {
  const show = async (id: OfferId, owner: string): Promise<PrintableOffer> => {
    const row = await findOffer(database, id, owner);
    if (row === undefined) throw unknownOffer(id);
    return printable(row);
  };

  const accept = async (id: OfferId, owner: string, start: 'AUTO' | 'CLIENT'): Promise<string> => {
    const { queueLimit, keepResults } = site().offers;
    const { verdict, state, winner } = await acceptOffer(database, id, owner, { start, queueLimit, keepResults });
    if (verdict === 'unknown' || state === null) throw unknownOffer(id);
    if (verdict === 'expired') throw expired(id);
    if (verdict === 'illegal') throw conflict(id, state, 'ACCEPTED');
    if (verdict === 'sibling') {
      throw new Problem('offer-sibling-accepted', `Offer ${winner} of the same answer was accepted before; offer ${id} is ${state}.`,
        { state, allowed: allowedUpdates(state), ...(winner === null ? {} : { winner }) });
    }
    return verdict;
  };

  const reject = async (id: OfferId, owner: string): Promise<string> => {
    const { verdict, state } = await rejectOffer(database, id, owner);
    if (verdict === 'unknown' || state === null) throw unknownOffer(id);
    if (verdict === 'expired') throw expired(id);
    if (verdict === 'illegal') throw conflict(id, state, 'REJECTED');
    return verdict;
  };

  const cancel = async (id: OfferId, owner: string): Promise<string> => {
    const { state } = await show(id, owner);
    if (state === 'CANCELLED') return 'again';
    if (!allowedUpdates(state).includes('CANCELLED')) throw conflict(id, state, 'CANCELLED');
    return cancelJob(database, id);
  };

  const update = ({ status, start }: Update, id: OfferId, owner: string): Promise<string> => {
    switch (status) {
      case 'ACCEPTED':
        return accept(id, owner, start === 'client' ? 'CLIENT' : 'AUTO');
      case 'REJECTED':
        return reject(id, owner);
      case 'CANCELLED':
        return cancel(id, owner);
      default:
        return status satisfies never;
    }
  };

  const router = Router();
  router.post('/request', async (request, response) => {
    const principal = principalOf(request);
    const body: SeedAsk = Object(request.body);
    const understood = readSeedAsk(body, site().fetch);
    const answer = understood.ok ? await planner.ask(understood.ask, principal) : await planner.refuse(body, understood.refusals, principal);
    reply(request, response, 200, printAnswer(answer, baseUrl(request)));
  });
  router.get('/offers/:ident', async (request, response) => {
    const offer = await show(identOf(request), ownerOf(principalOf(request)));
    reply(request, response, 200, { offer: printOffer(offer, baseUrl(request)) });
  });
  router.post('/offers/:ident', async (request, response) => {
    const [id, owner] = [identOf(request), ownerOf(principalOf(request))];
    const wanted: Update = Object(request.body);
    if (wanted.ident !== undefined && wanted.ident.toLowerCase() !== id) {
      throw new Problem('parameter-invalid', `The body names offer ${wanted.ident}, the URL ${id}.`, { errors: [{ path: 'ident', text: `must be ${id}` }] });
    }
    const verdict = await update(wanted, id, owner).catch((error: unknown) => {
      if (error instanceof Problem) {
        decided(error.code);
        log.info({ offer: id, owner, asked: wanted.status, refused: error.code }, 'update refused');
      }
      throw error;
    });
    decided(`${wanted.status.toLowerCase()}:${verdict}`);
    log.info({ offer: id, owner, asked: wanted.status, verdict }, 'updated');
    reply(request, response, 200, { offer: printOffer(await show(id, owner), baseUrl(request)) });
  });
  return router;
};
