import { describe, expect, test } from '@jest/globals';
import { HOLD_BUDGET as BUDGETS } from '../../src/site/quotas.ts';
import { offersOf, openClient, reasonsOf, type Reply } from '../harness/client.ts';
import { startTestService } from '../harness/service.ts';
import { emptyBookBeforeEach, serveTests } from '../harness/serve.ts';
import { tokenOf } from '../harness/site.ts';

const SITE = {
  rules: ['rules.yml'],
  offers: { lifetime: 'PT10M', 'max-offers': 1 },
  identity: { tokens: [tokenOf('token', { user: 'ada' })] },
  destinations: {
    a: {
      runner: 'process',
      'task-types': ['executable'],
      cores: 4000,
      memory: '4000GiB',
      scratch: '80000GiB',
    },
  },
};
const RULES = { destinations: { a: { runner: 'process' } } };
const ASK =
  '{task: {type: "https://www.purl.org/ivoa-net/task-type/executable", spec: {command: ' +
  '[sort]}}, resources: {compute: [{min-cores: 1}]}}';

const HOLD_BUDGET = BUDGETS.named;

function yeses(replies: readonly Reply[]): number {
  return replies.filter(isYes).length;
}

function isYes(reply: Reply): boolean {
  return offersOf(reply).length > 0;
}

async function inTurn(count: number, send: () => Promise<Reply>): Promise<readonly Reply[]> {
  const replies: Reply[] = [];
  while (replies.length < count) replies.push(await send());
  return replies;
}

describe('where the site file does not mention quotas', () => {
  const service = serveTests(SITE, RULES);
  emptyBookBeforeEach(service);
  const { send } = service;
  const ask = (path = '/request') => send(path, { token: 'token', body: ASK });
  const askWithout = () => send('/request', { body: ASK });

  test('an identity has a bounded number of open answers, others have theirs, and the NO says why', async () => {
    const replies = await inTurn(HOLD_BUDGET + 3, ask);
    expect(replies.map(isYes)).toEqual([...replies.keys()].map((n) => n < HOLD_BUDGET));
    const no = [
      expect.objectContaining({
        code: 'quota-exceeded',
        asked: 1,
        limit: HOLD_BUDGET,
        text: expect.stringContaining(`for you; ${HOLD_BUDGET} in use`),
      }),
    ];
    expect(replies.slice(-1).flatMap(reasonsOf)).toEqual(no);
    expect(reasonsOf(await ask('/request?dry-run=true'))).toEqual(no);
    expect((await inTurn(HOLD_BUDGET + 3, askWithout)).every(isYes)).toBe(true);
  });

  test('all clients without a credential share a larger number', async () => {
    const replies = await inTurn(BUDGETS.anonymous + 1, askWithout);
    expect([yeses(replies), replies.slice(-1).flatMap(reasonsOf)]).toEqual([
      BUDGETS.anonymous,
      [
        expect.objectContaining({
          code: 'quota-exceeded',
          limit: BUDGETS.anonymous,
          text: expect.stringContaining('all clients without a credential'),
        }),
      ],
    ]);
  });

  test('asks that come all at once exceed it no more than asks in turn', async () => {
    expect(yeses(await Promise.all(Array.from({ length: 2 * HOLD_BUDGET }, () => ask())))).toBe(
      HOLD_BUDGET,
    );
  });

  test('offers have their full lifetime up to half of it, and then less and less', async () => {
    await inTurn(HOLD_BUDGET, ask);
    const rows = await service.db.database.$queryRaw<{ s: number }[]>`
      SELECT extract(epoch FROM o.expires_at - o.starts_at)::int AS s FROM offer o ORDER BY o.ask_id`;
    const lives = rows.map(({ s }) => s);
    expect(new Set(lives.slice(0, HOLD_BUDGET / 2 + 1))).toEqual(new Set([600]));
    expect([lives[30], lives[40], lives[49]]).toEqual([480, 240, 30]);
  });

  test('an accepted, rejected or expired answer counts no longer, whoever decided it', async () => {
    const replies = await inTurn(HOLD_BUDGET, ask);
    expect(isYes(await ask())).toBe(false);
    const [first, second, third] = replies.flatMap(offersOf);
    await send(first?.href ?? '', { token: 'token', body: 'status: ACCEPTED' });
    await send(second?.href ?? '', { token: 'token', body: 'status: REJECTED' });
    await service.db.database
      .$executeRaw`UPDATE offer SET expires_at = clock_timestamp() WHERE id = ${third?.ident}::uuid`;
    expect((await inTurn(4, ask)).map(isYes)).toEqual([true, true, true, false]);
  });

  test('a NO counts nothing', async () => {
    await inTurn(HOLD_BUDGET + 5, () =>
      send('/request', { token: 'token', body: ASK.replace('min-cores: 1', 'min-cores: 5000') }),
    );
    expect(isYes(await ask())).toBe(true);
    expect(
      await service.db.database
        .$queryRaw`SELECT extract(epoch FROM o.expires_at - o.starts_at)::int AS s FROM offer o`,
    ).toEqual([{ s: 600 }]);
  });
});

describe('where the site file says that there are no quotas', () => {
  test('open answers are limited by capacity only, and have their full lifetime', async () => {
    const service = await startTestService({ ...SITE, quotas: [] }, RULES);
    const send = openClient(service.url);
    expect(yeses(await inTurn(HOLD_BUDGET + 3, () => send('/request', { body: ASK })))).toBe(
      HOLD_BUDGET + 3,
    );
    expect(
      await service.db.database
        .$queryRaw`SELECT DISTINCT extract(epoch FROM o.expires_at - o.starts_at)::int AS s FROM offer o`,
    ).toEqual([{ s: 600 }]);
    await service.close();
  });
});
