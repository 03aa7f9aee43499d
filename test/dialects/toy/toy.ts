import { reasonText } from '../../../src/dialects/reason-text.ts';
import type { Asking, Dialect, OfferUpdate } from '../../../src/planner/dialect.ts';
import { Problem } from '../../../src/words/problem.ts';
import { bidOf, told } from './bids.ts';
import { pathOf, readWish, wishWith, type Wish } from './wishes.ts';

/** `run: [sort]`, `cpu: 2` and `minutes: 30` are POSTed to /wishes and answered with bids. */
export function openToy(): Dialect {
  return {
    name: 'toy',
    routes: { asks: ['/wishes', '/hopes'], offer: '/bids/:ident' },
    prefers: 'json',
    wrappers: { ask: 'wish', update: 'answer' },
    updateKey: 'say',
    isAsk: (document) => 'run' in Object(document),
    requireShape: (document) => {
      if (Array.isArray(Object(document).run)) return;
      throw new Problem('body-not-an-ask', 'A wish says what to run.');
    },
    open: (document) => askingFor(Object(document)),
    readUpdate: (document) => {
      const update = UPDATES.get(Object(document).say);
      if (update !== undefined) return update;
      throw new Problem('parameter-invalid', `Say ${[...UPDATES.keys()].join(' or ')}.`);
    },
    printOffer: bidOf,
    howToAccept: (url) => `say "take" at ${url}`,
    printReasons: (reasons) =>
      reasons.map((one) => ({ code: one.code, path: one.path, text: reasonText(one, 'GiB') })),
  };
}

const UPDATES: ReadonlyMap<unknown, OfferUpdate> = new Map([
  ['take', { to: 'ACCEPTED', start: 'AUTO' }],
  ['leave', { to: 'REJECTED' }],
]);

function askingFor(wish: Wish): Asking {
  return {
    document: wish,
    name: undefined,
    pathOf,
    amountOf: ({ value }) => `${value}`,
    read: (vocabulary) => readWish(wish, vocabulary),
    revise: (changes) => askingFor(changes.reduce(wishWith, wish)),
    printAnswer: (answer, base) => {
      const status = answer.kind === 'yes' ? 201 : 200;
      return { status, headers: { 'X-Toy': answer.kind }, document: told(answer, wish, base) };
    },
  };
}
