import { Router, type RequestHandler } from 'express';
import type { Dialect } from '../../planner/dialect.ts';
import { bodyParser } from '../body/body.ts';
import { requireAcceptable } from '../body/representation.ts';
import { showAnswers } from '../sessions/answers.ts';
import { directAsks } from '../sessions/direct.ts';
import { listAnswersOf, listSessionsOf } from '../sessions/lists.ts';
import { answerAsks, ASKS, type AnsweringParts, type Purpose } from './answer-asks.ts';
import type { JobAnswerParts } from './job-answers.ts';
import { showOffers, tellUpdates, updateOffers, type OfferRouteParts } from './offer-routes.ts';
import { folderOf } from './open-dialects.ts';

export type DialectRouteParts = OfferRouteParts & AnsweringParts & JobAnswerParts;

/** A route to which clients POST asks. */
type AskRoute = { readonly paths: readonly string[]; readonly answer: RequestHandler };

/** The planner's side of the conversation over HTTP, in one dialect: ask. */
export function askRoutes(dialect: Dialect, parts: DialectRouteParts): readonly AskRoute[] {
  const { routes, sessions } = dialect;
  const answer = (purpose: Purpose): RequestHandler =>
    answerAsks(dialect, parts, checksOf(parts), purpose);
  return [
    { paths: routes.asks, answer: answer(ASKS) },
    ...(sessions === undefined
      ? []
      : [{ paths: sessions.routes.direct, answer: answer(directAsks(sessions, parts)) }]),
  ];
}

/** The planner's side of the conversation over HTTP, in one dialect: look, accept, reject. */
export function dialectRoutes(dialect: Dialect, parts: DialectRouteParts): Router {
  const router = Router();
  const { offer } = dialect.routes;
  const { documents, maxBodyKib } = parts;
  const checks = checksOf(parts);
  router.get(offer, ...checks, showOffers(dialect, parts));
  const update = bodyParser(dialect.wrappers.update, Math.min(UPDATE_KIB, maxBodyKib), documents);
  router.post(offer, ...update, tellUpdates(dialect), ...checks, updateOffers(dialect, parts));
  const { sessions } = dialect;
  if (sessions === undefined) return router;
  const { answer } = sessions.routes;
  router.get(answer, ...checks, showAnswers(sessions, parts));
  router.get(folderOf(answer), ...checks, listAnswersOf(sessions, parts));
  router.get(folderOf(offer), ...checks, listSessionsOf(dialect, sessions, parts));
  return router;
}

/** An update of an offer is a few words. */
const UPDATE_KIB = 16;

function checksOf({ checked }: AnsweringParts): readonly RequestHandler[] {
  const acceptable = requireAcceptable();
  return checked === undefined ? [acceptable] : [checked, acceptable];
}
