import type { Asking, Dialect } from '../../planner/dialect.ts';
import { printQuantity } from '../../planner/refusal.ts';
import { printSeedAnswer } from './answer.ts';
import { calendarYaml, printCalendar } from './calendar.ts';
import { explanationText, printExplanation } from './explanation.ts';
import { isSeedAsk, printAsk, printAsks, printOffers } from './lists.ts';
import { pathIn } from './paths.ts';
import { printReasons } from './print-reasons.ts';
import { printOffer, printRequest, SIZES } from './print.ts';
import { readSeedAsk, type SeedAsk } from './read.ts';
import { revise } from './revise.ts';
import { openShape } from '../shape.ts';
import { askNameOf } from './task.ts';
import { readUpdate } from './update.ts';

/**
 * The vocabulary of the 2023 draft of the ExecutionPlanner, `POST /request` and `/offers/{ident}`.
 *
 * @param contract api/openapi.yaml, which has its schemas
 */
export function openSeed(contract: object): Dialect {
  return {
    name: 'seed',
    routes: { asks: ['/request'], offer: '/offers/:ident' },
    prefers: 'yaml',
    wrappers: { ask: 'request', update: 'offer' },
    updateKey: 'status',
    isAsk: isSeedAsk,
    requireShape: openShape(contract, 'Ask'),
    open: (document) => askingIn(Object(document)),
    readUpdate,
    printOffer: (offer, base) => ({ offer: printOffer(offer, base) }),
    howToAccept: (url) => `POST status: ACCEPTED to ${url}`,
    printReasons: (reasons) => printReasons(reasons).reasons,
    printRequest,
    printExplanation: (explained, base) => {
      const explanation = printExplanation(explained, base);
      return { document: { explanation }, toText: () => explanationText(explanation, explained) };
    },
    printCalendar: (range, destinations, pools) => {
      const document = { calendar: printCalendar(range, destinations, pools) };
      return { document, toYaml: () => calendarYaml(document) };
    },
    printAsks,
    printAsk,
    printOffers,
  };
}

function askingIn(body: SeedAsk): Asking {
  return {
    document: body,
    name: askNameOf(body),
    pathOf: (place) => pathIn(body, place),
    amountOf: (quantity) => `${printQuantity(quantity, SIZES)}`,
    read: (vocabulary) => readSeedAsk(body, vocabulary),
    revise: (changes) => askingIn(revise(body, changes).body),
    printAnswer: (answer, base) => ({
      status: 200,
      headers: {},
      document: printSeedAnswer(answer, { base, body }),
    }),
  };
}
