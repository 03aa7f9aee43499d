import { Router } from 'express';
import { identityOf } from '../../identity/principal.ts';
import type { ListedAsk, OwnDocuments } from '../../planner/dialect.ts';
import { readAnswer } from '../../planner/record/kept-ask.ts';
import { findAskRow, listAsks, type AskRow } from '../../planner/record/list-asks.ts';
import { toldAgain } from '../../planner/told.ts';
import { parseAskId } from '../../words/ids.ts';
import { unknownAsk } from '../asks/explain-routes.ts';
import { ownerSeenBy } from '../asks/offer-updates.ts';
import { reply } from '../body/reply.ts';
import { requireAcceptable } from '../body/representation.ts';
import { principalOf } from '../identified.ts';
import { pageLimit, OWN_PAGE, pageOf, placeAfter } from './pages.ts';
import { tellNext, whoseWanted, type ListParts } from './whose.ts';

type AskListParts = ListParts & Pick<OwnDocuments, 'printAsks' | 'printAsk'>;

/** What clients asked in any vocabulary, with their answers as they are now. */
export function askLists(parts: AskListParts): Router {
  const { database, baseUrl, printAsks, printAsk } = parts;
  const router = Router();
  router.get('/asks', requireAcceptable(), async (request, response) => {
    const whose = await whoseWanted(database, request);
    const after = placeAfter(request, 'after')?.ask;
    const { items, next } = await pageOf(
      pageLimit(request, OWN_PAGE),
      (most) => listAsks(database, whose, after, most),
      ({ ask }) => ask,
    );
    tellNext(parts, request, response, next);
    reply(request, response, 200, printAsks(items.map(listedAsk), next));
  });
  router.get('/asks/:ident', requireAcceptable<{ ident: string }>(), async (request, response) => {
    const { ident } = request.params;
    const reader = principalOf(request);
    const id = parseAskId(ident.toLowerCase());
    const row = id && (await findAskRow(database, id, ownerSeenBy(reader)));
    if (row === undefined) throw unknownAsk(ident);
    const told = toldAgain(row.ask, await readAnswer(database, row.ask), reader);
    const asked = { ...listedAsk(row), document: row.document, told };
    reply(request, response, 200, printAsk(asked, baseUrl(request)));
  });
  return router;
}

function listedAsk({ owner, ownerName, createdAt, ...row }: AskRow): ListedAsk {
  return {
    ...row,
    identity: identityOf(owner, ownerName),
    createdAt: createdAt.getTime(),
    name: row.name ?? undefined,
    tool: row.tool ?? undefined,
    accepted: row.accepted ?? undefined,
  };
}
