import type { Request, RequestHandler } from 'express';
import type { Database } from '../../db/client.ts';
import type { Principal } from '../../identity/principal.ts';
import type { PrintableOffer } from '../../planner/dialect.ts';
import { findAnswer, type AnsweredAsk } from '../../planner/record/kept-answers.ts';
import type { KeptAnswer, SessionWords } from '../../planner/session.ts';
import { toldNo } from '../../planner/told.ts';
import { parseAskId } from '../../words/ids.ts';
import { unknownAsk } from '../asks/explain-routes.ts';
import { ownerSeenBy } from '../asks/offer-updates.ts';
import { principalOf } from '../identified.ts';
import { readSessionOf } from './reading.ts';
import { replyVersion } from './versions.ts';

export type AnswerParts = {
  readonly conversation: { readonly database: Database };
  readonly baseUrl: (request: Request) => string;
};

/** Prints an answer again, whatever the vocabulary of its ask, with its offers as they are now. */
export function showAnswers(
  { printKept }: SessionWords,
  { conversation: { database }, baseUrl }: AnswerParts,
): RequestHandler {
  return async (request, response) => {
    const { ident } = request.params;
    const reader = principalOf(request);
    const id = typeof ident === 'string' ? parseAskId(ident.toLowerCase()) : undefined;
    const found = id && (await findAnswer(database, id, ownerSeenBy(reader)));
    if (found === undefined) throw unknownAsk(`${ident}`);
    const kept = await keptAnswer(database, found, reader);
    replyVersion(request, response, printKept(kept, baseUrl(request)));
  };
}

/** An answer of the records for its reader, each offer with what became of its job. */
export async function keptAnswer(
  database: Database,
  { ask, document, createdAt, answer }: AnsweredAsk,
  reader: Principal,
): Promise<KeptAnswer> {
  const at = { document, createdAt: createdAt.getTime() };
  if (answer.result === 'NO') return { told: toldNo(ask, answer), ...at };
  const offers: readonly PrintableOffer[] = await Promise.all(
    answer.offers.map((row) => readSessionOf(database, row, reader)),
  );
  return { told: { kind: 'yes', ask, offers }, ...at };
}
