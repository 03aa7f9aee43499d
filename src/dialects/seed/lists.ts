import type { components } from '../../generated/api.d.ts';
import type { AnsweredAsking, ListedAsk, PrintableOffer } from '../../planner/dialect.ts';
import { printInstant } from '../../words/iso8601.ts';
import { isRecord } from '../../words/record.ts';
import { printSeedAnswer } from './answer.ts';
import { printOffer } from './print.ts';

type Schemas = components['schemas'];

/** Does a document look like an ask of this vocabulary? */
export function isSeedAsk(document: unknown): document is Schemas['Ask'] {
  return isRecord(document) && 'task' in document;
}

/** A page of asks. */
export function printAsks(
  asks: readonly ListedAsk[],
  next: string | undefined,
): Schemas['AskList'] {
  return { asks: asks.map(listed), ...(next !== undefined && { next }) };
}

/** An ask with what its client sent, and its answer as it is now. */
export function printAsk(
  { document, told, ...ask }: AnsweredAsking,
  base: string,
): Schemas['AskRecordBody'] {
  const body = isSeedAsk(document) ? document : undefined;
  return {
    ask: {
      ...listed(ask),
      ...(isRecord(document) && { document }),
      answer: printSeedAnswer(told, { base, body }).response,
    },
  };
}

/** A page of offers, each with its ask. */
export function printOffers(
  offers: readonly PrintableOffer[],
  next: string | undefined,
  base: string,
): Schemas['OfferList'] {
  return {
    offers: offers.map((offer) => ({ ask: offer.ask, ...printOffer(offer, base) })),
    ...(next !== undefined && { next }),
  };
}

function listed(one: ListedAsk): Schemas['ListedAsk'] {
  const { ask, createdAt, result, identity, name, tool, offers, open, accepted } = one;
  return {
    ask,
    created: printInstant(createdAt),
    result,
    identity,
    ...(name !== undefined && { name }),
    ...(tool !== undefined && { tool }),
    offers: [...offers],
    'open-offers': open,
    ...(accepted !== undefined && { accepted }),
  };
}
