import { Router } from 'express';
import type { Dialect } from '../../planner/dialect.ts';
import { bodyParser } from '../body/body.ts';
import { requireAcceptable } from '../body/representation.ts';
import { showAnswers } from '../sessions/answers.ts';
import { directAsks } from '../sessions/direct.ts';
import { listAnswersOf, listSessionsOf } from '../sessions/lists.ts';
import { answerAsks, ASKS, type AnsweringParts } from './answer-asks.ts';
import type { JobAnswerParts } from './job-answers.ts';
import { showOffers, tellUpdates, updateOffers, type OfferRouteParts } from './offer-routes.ts';
import { folderOf } from './open-dialects.ts';

type DialectRouteParts = OfferRouteParts & AnsweringParts & JobAnswerParts;

/** The planner's side of the conversation over HTTP, in one dialect: ask, look, accept, reject. */
export function dialectRoutes(dialect: Dialect, parts: DialectRouteParts): Router {
  const router = Router();
  const { asks, offer } = dialect.routes;
  const { checked, documents, maxBodyKib } = parts;
  const acceptable = requireAcceptable();
  const checks = checked === undefined ? [acceptable] : [checked, acceptable];
  router.post([...asks], answerAsks(dialect, parts, checks, ASKS));
  router.get(offer, ...checks, showOffers(dialect, parts));
  const update = bodyParser(dialect.wrappers.update, Math.min(UPDATE_KIB, maxBodyKib), documents);
  router.post(offer, ...update, tellUpdates(dialect), ...checks, updateOffers(dialect, parts));
  const { sessions } = dialect;
  if (sessions === undefined) return router;
  const { direct, answer } = sessions.routes;
  router.post([...direct], answerAsks(dialect, parts, checks, directAsks(sessions, parts)));
  router.get(answer, ...checks, showAnswers(sessions, parts));
  router.get(folderOf(answer), ...checks, listAnswersOf(sessions, parts));
  router.get(folderOf(offer), ...checks, listSessionsOf(dialect, sessions, parts));
  return router;
}

/** An update of an offer is a few words. */
const UPDATE_KIB = 16;
