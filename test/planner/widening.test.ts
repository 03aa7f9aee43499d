import { describe, expect, test } from '@jest/globals';
import { offersOf, reasonsOf, type Reply } from '../harness/client.ts';
import { emptyBookBeforeEach, serveTests } from '../harness/serve.ts';

/**
 * Twenty small destinations that come first, ten large ones, and one that takes nothing of this.
 */
const numbers = Array.from({ length: 30 }, (_, n) => n);
const SITE = {
  rules: ['rules.yml'],
  destinations: Object.fromEntries(
    [...numbers.map((n) => [`d${n}`, n < 20 ? 2 : 8] as const), ['other', 8] as const].map(
      ([id, cores]) => [
        id,
        {
          runner: 'process',
          'task-types': ['executable'],
          cores,
          memory: '64GiB',
          scratch: '100GiB',
        },
      ],
    ),
  ),
};
const RULES = {
  tools: {
    'executable/sort': {
      rules: [{ if: 'entity.cores and entity.cores > 50', scheduling: { require: ['huge'] } }],
    },
  },
  destinations: {
    ...Object.fromEntries(numbers.map((n) => [`d${n}`, { runner: 'process' }])),
    other: { runner: 'process', scheduling: { require: ['other'] } },
  },
};

describe('a site of many destinations', () => {
  const service = serveTests(SITE, RULES);
  emptyBookBeforeEach(service);
  const { send } = service;

  const ask = (cores: number): Promise<Reply> =>
    send('/request', {
      body:
        'task: {type: "https://www.purl.org/ivoa-net/task-type/executable", spec: {command: ' +
        `[sort]}}\nresources: {compute: [{min-cores: ${cores}, min-memory: 1Gb}]}`,
    });
  const destinations = (reply: Reply): readonly unknown[] =>
    offersOf(reply).map((offer) => Object(offer).destination);
  const most = async (): Promise<unknown> => {
    const [kept] = await service.db.database.ask.findMany();
    return Object(kept?.inputs).circumstances.most;
  };
  const explanation = async (reply: Reply) =>
    Object((await send(Object(reply.document['response']).explain, {})).document['explanation']);

  test('answers from the first preferred destinations, and asks the rules about no others', async () => {
    expect(destinations(await ask(1))).toEqual(['d0', 'd1', 'd2', 'd3']);
    expect(await most()).toBe(4);
  });

  test('answers from later ones, when the first ones cannot', async () => {
    expect(destinations(await ask(4))).toEqual(['d20', 'd21', 'd22', 'd23']);
    expect(await most()).toBe(32);
  });

  test('has every destination and every clause in a NO', async () => {
    const { reasons }: { readonly reasons: readonly Record<string, unknown>[] } = await explanation(
      await ask(9),
    );
    expect(new Set(reasons.flatMap(({ destinations: all }) => all))).toEqual(
      new Set(Object.keys(SITE.destinations)),
    );
    expect(reasons).toContainEqual(
      expect.objectContaining({ code: 'required-tag-missing', destination: 'other' }),
    );
    expect(reasons).toContainEqual(
      expect.objectContaining({
        code: 'above-capacity',
        destinations: expect.arrayContaining(['d29']),
        asked: 9,
        limit: 8,
      }),
    );
    const none = reasonsOf(await ask(60)).filter(({ code }) => code === 'required-tag-missing');
    expect(
      none
        .map(
          ({ destinations: all, 'more-destinations': more = 0 }) =>
            [all].flat().length + Number(more),
        )
        .reduce((a, b) => a + b, 0),
    ).toBe(32);
  });

  test('explains all: what every destination said, and in which order they were tried', async () => {
    const { candidates, rules, trace } = await explanation(await ask(1));
    expect(rules.replay).toBe('same');
    expect(candidates).toHaveLength(31);
    expect(candidates.slice(0, 5)).toMatchObject([
      { destination: 'd0', rank: 1 },
      { destination: 'd1', rank: 2 },
      { destination: 'd2', rank: 3 },
      { destination: 'd3', rank: 4 },
      { destination: 'd4', verdict: 'matched' },
    ]);
    expect(candidates).toContainEqual(
      expect.objectContaining({
        destination: 'other',
        verdict: 'refused',
        reasons: ["the destination requires the tag 'other', which the job does not have"],
      }),
    );
    expect(
      trace.filter(({ step }: { readonly step: string }) => step === 'destination-matched'),
    ).toHaveLength(30);
  });

  test('keeps the limits of its destinations once for all asks, as long as there is one', async () => {
    const kept = async (): Promise<number> =>
      service.db.database.trace.count({ where: { key: { startsWith: 'rules ' } } });
    const purge = async (): Promise<void> => {
      await service.db.database.$executeRaw`UPDATE trace SET used_at = now() - interval '9 days'`;
      await service.db.database.$queryRaw`SELECT gone FROM purge_traces('-infinity', '', 100)`;
    };
    await ask(1);
    await ask(4);
    expect(await kept()).toBe(1);
    await purge();
    expect(await kept()).toBe(1);
    await service.db.database.$executeRaw`TRUNCATE ask CASCADE`;
    await purge();
    expect(await kept()).toBe(0);
  });
});
