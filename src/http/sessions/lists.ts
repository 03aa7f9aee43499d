import type { Request, RequestHandler } from 'express';
import { ownerOf } from '../../identity/principal.ts';
import type { Dialect } from '../../planner/dialect.ts';
import { listAnswers } from '../../planner/record/kept-answers.ts';
import { listOffers, type OfferPlace } from '../../planner/record/offer-rows.ts';
import type { ListPage, SessionWords } from '../../planner/session.ts';
import { parseAskId, type AskId } from '../../words/ids.ts';
import { Problem } from '../../words/problem.ts';
import { reply } from '../body/reply.ts';
import { principalOf } from '../identified.ts';
import { keptAnswer, type AnswerParts } from './answers.ts';
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
        cursor: `${row.ask}.${row.place}`,
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
    const limit = limitOf(request);
    // One more tells whether there is a next page.
    const found = await read(request, cursorOf(request), limit + 1);
    const page = found.slice(0, limit);
    const last = page.at(-1);
    const next =
      found.length > limit && last !== undefined
        ? `${baseUrl(request)}${request.path}?limit=${limit}&cursor=${last.cursor}`
        : undefined;
    if (next !== undefined) response.set('Link', `<${next}>; rel="next"`);
    const documents = page.map(({ document }) => document);
    reply(request, response, 200, printPage({ of, documents, next }));
  };
}

function limitOf({ query }: Request): number {
  const given = query['limit'];
  if (given === undefined) return PAGE.usual;
  const limit = Number(given);
  if (Number.isInteger(limit) && limit > 0) return Math.min(limit, PAGE.most);
  throw invalid('limit', 'must be a whole number above 0');
}

/** The place after which a page begins: an ask, or an offer's place in the answer. */
function cursorOf({ query }: Request): OfferPlace | undefined {
  const given = query['cursor'];
  if (given === undefined) return undefined;
  const [, ask = '', place = '0'] = /^([\da-f-]{36})(?:\.(\d{1,3}))?$/.exec(String(given)) ?? [];
  const id: AskId | undefined = parseAskId(ask);
  if (id !== undefined) return { ask: id, place: Number(place) };
  throw invalid('cursor', 'must be that of a link to the next page');
}

function invalid(path: string, text: string): Problem {
  return new Problem('parameter-invalid', `The parameter ${path} ${text}.`, {
    errors: [{ path, text }],
  });
}
