import { describeDialect, type DialectClient } from './contract.ts';
import { brokerClients } from './broker/clients.ts';
import { openToy } from './toy/toy.ts';

const TYPE = 'https://www.purl.org/ivoa-net/task-type/executable';
const task = { type: TYPE, spec: { command: ['sort'] } };

const seed: DialectClient = {
  name: 'seed',
  route: '/request',
  wrapper: 'request',
  ask: (cores) => ({
    task,
    resources: { compute: [{ 'min-cores': cores }] },
    time: { duration: 'PT30M' },
  }),
  coresAt: 'resources.compute[0].min-cores',
  strange: { ask: { task, resources: { colour: 'red' } }, at: 'resources.colour' },
  noAsk: { tusk: 1 },
  accept: { status: 'ACCEPTED' },
  reject: { offer: { status: 'REJECTED' } },
  noUpdate: { status: 'LOVED' },
  hear: (document) => {
    const { result, offers = [], reasons = [], nearest } = Object(document).response;
    return {
      isYes: result === 'YES',
      reasons,
      nearest: nearest?.ask,
      offers: offers.map((offer: object) => {
        const { ident, href, request } = Object(offer);
        return { id: ident, url: href, cores: request.resources.compute[0]['min-cores'] };
      }),
    };
  },
  stateOf: (document) => Object(document).offer.status,
};

const toy: DialectClient = {
  name: 'toy',
  route: '/wishes',
  wrapper: 'wish',
  ask: (cpu) => ({ run: ['sort'], cpu, minutes: 30 }),
  coresAt: '/cpu',
  strange: { ask: { run: ['sort'], colour: 'red' }, at: '/colour' },
  noAsk: { runs: 1 },
  accept: { say: 'take' },
  reject: { answer: { say: 'leave' } },
  noUpdate: { say: 'love' },
  hear: (document) => {
    const { can, bids = [], because = [], instead } = Object(document);
    return {
      isYes: can,
      nearest: instead,
      reasons: because.map((one: object) => ({ path: Object(one).at, text: Object(one).why })),
      offers: bids.map((bid: object) => ({
        id: Object(bid).id,
        url: Object(bid).link,
        cores: Object(bid).cpu,
      })),
    };
  },
  stateOf: (document) => Object(document).is.toUpperCase(),
};

describeDialect(seed);
for (const client of brokerClients) describeDialect(client);
describeDialect(toy, [openToy]);
