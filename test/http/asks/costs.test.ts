import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { offersOf, openClient, reasonsOf, type Reply } from '../../harness/client.ts';
import { contractFaults } from '../../harness/contract.ts';
import { startTestService, type TestService } from '../../harness/service.ts';

const CREDIT = 'https://example.org/costs/credit';
function destination(costs: readonly object[]): object {
  return {
    runner: 'process',
    'task-types': ['executable'],
    cores: 8,
    memory: '16GiB',
    scratch: '100GiB',
    costs,
  };
}
const SITE = {
  rules: ['rules.yml'],
  defaults: { scratch: '1GiB' },
  offers: { release: 'PT1S', 'start-window': 'PT1S' },
  destinations: {
    dear: destination([{ type: CREDIT, description: 'credits', core: 4 }]),
    cheap: destination([{ type: CREDIT, description: 'credits', core: 1, job: 2 }]),
  },
};
const RULES = { destinations: { dear: { runner: 'process' }, cheap: { runner: 'process' } } };

describe('costs in the 2023 vocabulary', () => {
  let service: TestService;
  let send: ReturnType<typeof openClient>;
  beforeAll(async () => {
    service = await startTestService(SITE, RULES);
    send = openClient(service.url);
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    await service.db.database.$executeRaw`TRUNCATE ask CASCADE`;
  });

  const ask = async (costs: string, path = '/request'): Promise<Reply> => {
    const reply = await send(path, {
      body: `task: {type: "https://www.purl.org/ivoa-net/task-type/executable", spec: {command: ["true"]}}
resources: {compute: [{min-cores: 2, max-cores: 2, min-memory: 1Gb}]}
time: {duration: PT2H}
${costs}`,
    });
    expect(reply.status).toBe(200);
    expect(contractFaults('AnswerBody', reply.document)).toEqual([]);
    return reply;
  };
  const shown = (reply: Reply) =>
    offersOf(reply).map((offer) => [Object(offer).destination, Object(offer).costs]);

  test('are quoted by every offer, and kept with it', async () => {
    const reply = await ask('');
    const quoted = (price: number) => [
      { type: CREDIT, description: 'credits', min: price, max: price },
    ];
    expect(Object.fromEntries(shown(reply))).toEqual({ dear: quoted(16), cheap: quoted(6) });
    const [offer] = offersOf(reply);
    const again = await send(new URL(String(Object(offer).href)).pathname);
    expect(Object(again.document['offer']).costs).toEqual(Object(offer).costs);
    expect(contractFaults('OfferBody', again.document)).toEqual([]);
    const rehearsed = await ask('', '/request?dry-run=true');
    expect(Object.fromEntries(shown(rehearsed))).toEqual(Object.fromEntries(shown(reply)));
  });

  test('have limits, which every offer keeps', async () => {
    const reply = await ask(`costs: [{type: "${CREDIT}", max: 6}]`);
    expect(new Set(shown(reply).map(([id]) => id))).toEqual(new Set(['cheap']));
  });

  test('above the limit are a NO; its nearest ask is a YES as it stands', async () => {
    const reply = await ask(`costs: [{type: "${CREDIT}", max: 5}]`);
    const told = { code: 'cost-above-limit', path: 'costs[0].max', asked: 5 };
    expect(reasonsOf(reply)).toHaveLength(2);
    expect(reasonsOf(reply)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ ...told, limit: 6, destination: 'cheap' }),
        expect.objectContaining({ ...told, limit: 16, destination: 'dear' }),
      ]),
    );
    const { nearest } = Object(reply.document['response']);
    expect(nearest).toMatchObject({
      destination: 'cheap',
      changes: [{ path: 'time.duration', from: 'PT2H', to: 'PT1H30M' }],
    });
    const next = await send('/request', { body: JSON.stringify(nearest.ask) });
    expect(shown(next)[0]).toEqual([
      'cheap',
      [{ type: CREDIT, description: 'credits', min: 5, max: 5 }],
    ]);
  });

  test('in a unit that nobody has are a NO with the units of the site', async () => {
    const reply = await ask('costs: [{type: "urn:shells", max: 5}]');
    expect(reasonsOf(reply)).toEqual([
      expect.objectContaining({
        code: 'cost-unknown',
        path: 'costs[0].max',
        asked: 'urn:shells',
        limit: CREDIT,
      }),
    ]);
    const { nearest } = Object(reply.document['response']);
    expect(nearest.ask.costs).toEqual([{ type: 'urn:shells' }]);
    expect(shown(await send('/request', { body: JSON.stringify(nearest.ask) }))).not.toEqual([]);
  });

  test('with another key, or a limit below zero, are not ignored', async () => {
    const reply = await ask(`costs: [{type: "${CREDIT}", maximum: 5}]`);
    expect(reasonsOf(reply)).toEqual([
      expect.objectContaining({ code: 'unknown-key', path: 'costs[0].maximum' }),
    ]);
    const body = `task: {type: "urn:x"}\ncosts: [{type: "${CREDIT}", max: -1}]`;
    expect((await send('/request', { body })).status).toBe(400);
  });
});
