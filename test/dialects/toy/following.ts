import type { Dialect } from '../../../src/planner/dialect.ts';
import type { KeptAnswer } from '../../../src/planner/session.ts';
import { bidOf, told } from './bids.ts';
import { openToy } from './toy.ts';

/** The toy, whose clients follow a bid to its end, POST /musts to have it at once, and list both. */
export function openFollowingToy(): Dialect {
  const toy = openToy();
  return {
    ...toy,
    readUpdate: (document, offer) =>
      Object(document).say === 'stop' ? { to: 'CANCELLED' } : toy.readUpdate(document, offer),
    printOffer: followed,
    sessions: {
      routes: { direct: ['/musts', '/bids'], answer: '/hopes/:ident' },
      printDirect: (answer, document, base) => {
        if (answer.kind === 'no')
          return { status: 400, headers: {}, document: told(answer, Object(document), base) };
        const headers = { Location: `${base}/bids/${answer.offer.id}` };
        return { status: 303, headers, document: followed(answer.offer, base) };
      },
      printKept,
      printPage: ({ of, documents, next }) => ({ [of]: documents, next: next ?? null }),
    },
  };
}

const followed: Dialect['printOffer'] = (offer, base) => {
  const { modifiedAt, mayBecome, job } = offer;
  return { ...bidOf(offer, base), modifiedAt, can: mayBecome, ...(job && { made: job }) };
};

function printKept({ told: answer, document, createdAt }: KeptAnswer, base: string): object {
  const { ask } = answer;
  const at = new Date(createdAt).toISOString();
  const bids = answer.kind === 'yes' ? answer.offers.map((one) => followed(one, base)) : [];
  return { id: ask, at, wish: document, can: answer.kind === 'yes', bids };
}
