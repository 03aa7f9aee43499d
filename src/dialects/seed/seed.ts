import type { Asking, Dialect, OfferUpdate } from '../../planner/dialect.ts';
import { printQuantity } from '../../planner/refusal.ts';
import type { components } from '../../generated/api.d.ts';
import type { OfferId } from '../../words/ids.ts';
import { isJobName } from '../../words/job-name.ts';
import { Problem } from '../../words/problem.ts';
import { isRecord } from '../../words/record.ts';
import { printSeedAnswer } from './answer.ts';
import { calendarYaml, printCalendar } from './calendar.ts';
import { explanationText, printExplanation } from './explanation.ts';
import { pathIn } from './paths.ts';
import { printReasons } from './print-reasons.ts';
import { printOffer, printRequest, SIZES } from './print.ts';
import { readSeedAsk, type SeedAsk } from './read.ts';
import { revise } from './revise.ts';
import { openShape } from '../shape.ts';

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
    isAsk: (document) => isRecord(document) && 'task' in document,
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
  };
}

function askingIn(body: SeedAsk): Asking {
  return {
    document: body,
    name: body.name !== undefined && isJobName(body.name) ? body.name : undefined,
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

/** The contract has checked the document, but not that it names this offer. */
function readUpdate(document: unknown, offer: OfferId): OfferUpdate {
  const { ident, status, start }: components['schemas']['OfferUpdate'] = Object(document);
  if (ident !== undefined && ident.toLowerCase() !== offer) {
    throw new Problem('parameter-invalid', `The body names offer ${ident}, the URL ${offer}.`, {
      errors: [{ path: 'ident', text: `must be ${offer}` }],
    });
  }
  return status === 'ACCEPTED'
    ? { to: status, start: start === 'client' ? 'CLIENT' : 'AUTO' }
    : { to: status };
}
