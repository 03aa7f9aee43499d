import type { Request, RequestHandler } from 'express';
import { ownerOf } from '../../identity/principal.ts';
import type { Dialect } from '../../planner/dialect.ts';
import { listAnswers } from '../../planner/record/kept-answers.ts';
import { listOffers, type OfferPlace } from '../../planner/record/offer-rows.ts';
import type { ListPage, SessionWords } from '../../planner/session.ts';
import { reply } from '../body/reply.ts';
import { principalOf } from '../identified.ts';
import { keptAnswer, type AnswerParts } from './answers.ts';
import { pageLimit, pageOf, placeAfter, printPlace } from '../lists/pages.ts';
import { readSessionOf } from './reading.ts';

/** Documents on a page. */
const PAGE = { usual: 20, most: 100 };

/** Lists the answers to a client, the latest first. */
export function listAnswersOf(
  { printKept, printPage }: SessionWords,
  { conversation: { database }, baseUrl }: AnswerParts,
): RequestHandler {
  return pagesOf('answers', { printPage, baseUrl }, async (request, after, limit) => {
    const reader = principalOf(request);
    const answers = await listAnswers(database, ownerOf(reader), after?.ask, limit);
    const base = baseUrl(request);
    return Promise.all(
      answers.map(async (one) => ({
        document: printKept(await keptAnswer(database, one, reader), base),
        cursor: one.ask,
      })),
    );
  });
}

/** Lists the sessions of a client: those of the latest ask first, in the order of the answer. */
export function listSessionsOf(
  { printOffer }: Pick<Dialect, 'printOffer'>,
  { printPage }: SessionWords,
  { conversation: { database }, baseUrl }: AnswerParts,
): RequestHandler {
  return pagesOf('sessions', { printPage, baseUrl }, async (request, after, limit) => {
    const reader = principalOf(request);
    const rows = await listOffers(database, ownerOf(reader), after, limit);
    const base = baseUrl(request);
    return Promise.all(
      rows.map(async (row) => ({
        document: printOffer(await readSessionOf(database, row, reader), base),
        cursor: printPlace(row),
      })),
    );
  });
}

/** A document of a list, and the place in the list after it. */
type Listed = { readonly document: object; readonly cursor: string };

type PageParts = Pick<SessionWords, 'printPage'> & Pick<AnswerParts, 'baseUrl'>;

/** Sends pages of a list; the header Link names the next one (RFC 8288). */
function pagesOf(
  of: ListPage['of'],
  { printPage, baseUrl }: PageParts,
  read: (
    request: Request,
    after: OfferPlace | undefined,
    limit: number,
  ) => Promise<readonly Listed[]>,
): RequestHandler {
  return async (request, response) => {
    const limit = pageLimit(request, PAGE);
    const after = placeAfter(request, 'cursor');
    const { items, next: cursor } = await pageOf(
      limit,
      (most) => read(request, after, most),
      (last) => last.cursor,
    );
    const next = cursor && `${baseUrl(request)}${request.path}?limit=${limit}&cursor=${cursor}`;
    if (next !== undefined) response.set('Link', `<${next}>; rel="next"`);
    const documents = items.map(({ document }) => document);
    reply(request, response, 200, printPage({ of, documents, next }));
  };
}
