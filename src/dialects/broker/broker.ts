import type { Asking, Dialect } from '../../planner/dialect.ts';
import { printQuantity } from '../../planner/refusal.ts';
import type { KeptAnswer, SessionWords } from '../../planner/session.ts';
import { reasonText } from '../reason-text.ts';
import { openShape } from '../shape.ts';
import { isBrokerRequest, type BrokerRequest } from './generations.ts';
import { openRequest } from './opened.ts';
import { placeIn } from './paths.ts';
import { printBrokerAnswer, printDirectAnswer, printOfferSet } from './print/answer.ts';
import { printSession } from './print/session.ts';
import { printedFor } from './print/words.ts';
import { readBrokerRequest } from './read/read.ts';
import { reviseRequest } from './revise.ts';
import { readBrokerUpdate } from './update.ts';

/**
 * The vocabularies of ExecutionBroker clients, 2024 to 2026: one reading of all generations, and
 * answers in that of the client.
 *
 * @param contract api/openapi.yaml, which has their schemas
 */
export function openBroker(contract: object): Dialect {
  return {
    name: 'broker',
    routes: { asks: ['/requests', '/offersets'], offer: '/sessions/:ident' },
    prefers: 'json',
    wrappers: { ask: 'request', update: 'update' },
    updateKey: 'value',
    isAsk: isBrokerRequest,
    requireShape: openShape(contract, 'BrokerRequest'),
    open: (document) => askingWith(Object(document)),
    readUpdate: readBrokerUpdate,
    printOffer: (offer, base) => printSession(offer, printedFor(offer.document, base)),
    sessions: SESSIONS,
    howToAccept: (url) =>
      `POST {kind: uri:enum-value-update, path: phase, value: ACCEPTED} to ${url}`,
    printReasons: (reasons) =>
      reasons.map((one) => ({ code: one.code, path: one.path, text: reasonText(one, SIZES) })),
  };
}

const SIZES = 'GiB';

const SESSIONS: SessionWords = {
  routes: { direct: ['/direct', '/sessions'], answer: '/offersets/:ident' },
  printDirect: (answer, document, base) => printDirectAnswer(answer, printedFor(document, base)),
  printKept: ({ told, document }: KeptAnswer, base) =>
    printOfferSet(told, printedFor(document, base)),
  printPage: ({ of, documents, next }) => ({
    [of === 'answers' ? 'offersets' : 'sessions']: [...documents],
    ...(next === undefined ? {} : { next }),
  }),
};

function askingWith(request: BrokerRequest): Asking {
  const opened = openRequest(request);
  return {
    document: request,
    name: opened.name,
    pathOf: (place) => placeIn(opened, place),
    amountOf: (quantity) => `${printQuantity(quantity, SIZES)}`,
    read: (vocabulary) => readBrokerRequest(opened, vocabulary),
    revise: (changes) => askingWith(reviseRequest(opened, changes).request),
    printAnswer: (answer, base) => printBrokerAnswer(answer, printedFor(request, base)),
  };
}
