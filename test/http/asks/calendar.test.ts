import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { offersOf, type Reply } from '../../harness/client.ts';
import { contractFaults } from '../../harness/contract.ts';
import { emptyBookBeforeEach, serveTests } from '../../harness/serve.ts';
import { processDestination, tokenOf } from '../../harness/site.ts';

const DAY_MS = 86_400_000;
function iso(at: number): string {
  return new Date(at).toISOString();
}
const NEXT_WEEK = Math.ceil(Date.now() / DAY_MS) * DAY_MS + 3 * DAY_MS;
const SITE = {
  rules: ['rules.yml'],
  identity: { anonymous: false, tokens: ['ada', 'bob'].map((name) => tokenOf(`${name}-token`)) },
  offers: { release: 'PT1S', 'start-window': 'PT1S' },
  destinations: {
    a: processDestination(),
    b: processDestination({
      maintenance: [{ start: iso(NEXT_WEEK), duration: 'PT6H', reason: 'new discs' }],
    }),
  },
};
const RULES = { destinations: { a: { runner: 'process' }, b: { runner: 'process' } } };
const ASK =
  'task: {type: "https://www.purl.org/ivoa-net/task-type/executable", spec: {command: [sort]}}';

type Amounts = { readonly cores: number; readonly memory: number; readonly scratch: number };
type Step = {
  readonly start: string;
  readonly end: string;
  readonly free: Amounts;
  readonly held: Amounts;
  readonly firm: Amounts;
};
type Drawn = {
  readonly destination: string;
  readonly steps: readonly Step[];
  readonly maintenance: readonly object[];
};

describe('the calendar', () => {
  const service = serveTests(SITE, RULES);
  emptyBookBeforeEach(service);
  const { send } = service;

  const look = async (query = '', headers: Record<string, string> = {}): Promise<Reply> =>
    send(`/calendar${query}`, { token: 'ada-token', headers });
  const drawn = async (query = ''): Promise<readonly Drawn[]> => {
    const reply = await look(query);
    expect(contractFaults('CalendarBody', reply.document)).toEqual([]);
    return Object(reply.document['calendar']).destinations;
  };
  const ask = (start: number, cores: number) =>
    send('/request', {
      token: 'bob-token',
      body:
        `${ASK}\nresources: {compute: [{min-cores: ${cores}, max-cores: ${cores}, min-memory: ` +
        `1Gb}]}\ntime: {start: "${iso(start)}", duration: PT2H}`,
    });

  test('of a site without reservations is one free step per destination, and its maintenance', async () => {
    const [a, b] = await drawn();
    expect(a).toMatchObject({
      destination: 'a',
      steps: [
        { free: { cores: 4, memory: 8, scratch: 80 }, held: { cores: 0 }, firm: { cores: 0 } },
      ],
      maintenance: [],
    });
    expect(b?.maintenance).toEqual([
      {
        start: iso(NEXT_WEEK),
        end: iso(NEXT_WEEK + DAY_MS / 4),
        reason: 'new discs',
        takes: 'all',
      },
    ]);
    expect(b?.steps.map(({ start, free }) => [start, free.cores])).toEqual([
      [expect.anything(), 4],
      [iso(NEXT_WEEK), 0],
      [iso(NEXT_WEEK + DAY_MS / 4), 4],
    ]);
  });

  test('shows a hold while it is offered, and firm capacity once it is accepted', async () => {
    const [offer] = offersOf(await ask(NEXT_WEEK, 3));
    const query = `?destination=a&from=${iso(NEXT_WEEK)}&to=${iso(NEXT_WEEK + DAY_MS / 24)}`;
    expect((await drawn(query))[0]?.steps[0]).toMatchObject({
      free: { cores: 1 },
      held: { cores: 3 },
      firm: { cores: 0 },
    });
    await send(offer?.href ?? '', { token: 'bob-token', body: 'status: ACCEPTED' });
    expect((await drawn(query))[0]?.steps[0]).toMatchObject({
      free: { cores: 1 },
      held: { cores: 0 },
      firm: { cores: 3 },
    });
  });

  test('names nobody, and nothing that identifies a reservation', async () => {
    const [offer] = offersOf(await ask(NEXT_WEEK, 3));
    const { text } = await look();
    expect(text).not.toContain('bob');
    expect(text).not.toContain(offer?.ident ?? fail());
  });

  test('has my own reservations with mine=true, and nobody else has them', async () => {
    const [offer] = offersOf(await ask(NEXT_WEEK, 3));
    const query = `?destination=a&from=${iso(NEXT_WEEK - DAY_MS)}&to=${iso(NEXT_WEEK + DAY_MS)}`;
    const mine = async (token: string, more = '&mine=true') => {
      const { document } = await send(`/calendar${query}${more}`, { token });
      expect(contractFaults('CalendarBody', document)).toEqual([]);
      return Object(document['calendar']).destinations[0].mine;
    };
    const [held, ...others] = await mine('bob-token');
    expect(others).toEqual([]);
    expect(held).toEqual({
      ask: expect.any(String),
      state: 'held',
      start: iso(NEXT_WEEK),
      end: expect.any(String),
      amount: { cores: 3, memory: 1, scratch: expect.any(Number) },
    });
    await send(offer?.href ?? '', { token: 'bob-token', body: 'status: ACCEPTED' });
    expect(await mine('bob-token')).toMatchObject([
      { ask: held.ask, job: offer?.ident, state: 'firm' },
    ]);
    expect(await mine('ada-token')).toEqual([]);
    expect(await mine('bob-token', '')).toBeUndefined();
    expect(await mine('bob-token', '&mine=false')).toBeUndefined();
    const wrong = await send('/calendar?mine=yes', { token: 'bob-token' });
    expect(wrong).toMatchObject({ status: 400, document: { errors: [{ path: 'query.mine' }] } });
  });

  test('is for those who may ask, and for nobody else', async () => {
    expect((await send('/calendar')).status).toBe(401);
    expect((await look()).status).toBe(200);
  });

  test('is JSON on request', async () => {
    const reply = await look('', { Accept: 'application/json' });
    expect(reply.headers.get('content-type')).toContain('application/json');
    expect(contractFaults('CalendarBody', JSON.parse(reply.text))).toEqual([]);
  });

  test('that has not changed is 304, and is sent again after the next reservation', async () => {
    const query = `?from=${iso(NEXT_WEEK)}&to=${iso(NEXT_WEEK + DAY_MS)}`;
    const tag = (await look(query)).headers.get('etag') ?? fail();
    for (const known of [tag, tag.replace(/^W\//, ''), `"other", ${tag}`]) {
      const again = await look(query, { 'If-None-Match': known });
      expect([known, again.status, again.text]).toEqual([known, 304, '']);
    }
    await ask(NEXT_WEEK, 1);
    expect((await look(query, { 'If-None-Match': tag })).status).toBe(200);
  });

  test('is sent in another representation to a client that has it in one', async () => {
    const query = `?from=${iso(NEXT_WEEK)}&to=${iso(NEXT_WEEK + DAY_MS)}`;
    const accepts = ['application/yaml', 'application/json', 'application/xml'];
    const tags = await Promise.all(
      accepts.map(async (Accept) => (await look(query, { Accept })).headers.get('etag') ?? fail()),
    );
    for (const [index, Accept] of accepts.entries())
      for (const [other, tag] of tags.entries())
        expect([Accept, tag, (await look(query, { Accept, 'If-None-Match': tag })).status]).toEqual(
          [Accept, tag, other === index ? 304 : 200],
        );
  });

  test('starts now, whatever earlier time is asked for, and ends within the horizon', async () => {
    const { document } = await look(`?from=2020-01-01T00:00Z&to=${iso(Date.now() + DAY_MS)}`);
    expect(Date.now() - Date.parse(Object(document['calendar']).from)).toBeLessThan(2 * 60_000);
  });

  test.each([
    ['from', '?from=tomorrow'],
    ['from', '?from=2026-11-22'],
    ['to', '?to=2020-01-01T00:00Z'],
    ['to', '?to=2100-01-01T00:00Z'],
    ['from', '?from=2100-01-01T00:00Z'],
    ['to', '?from=2030-01-02T00:00Z&to=2030-01-01T00:00Z'],
    ['destination', '?destination=nowhere'],
  ])('cannot be asked for with a wrong %s (%s): the problem names it', async (path, query) => {
    expect(await look(query)).toMatchObject({
      status: 400,
      document: { code: 'parameter-invalid', errors: [{ path }] },
    });
  });

  test('of a busy destination has at most the steps that a page can draw', async () => {
    await service.db.database.$executeRaw`
      WITH fresh AS (SELECT gen_random_uuid() AS id, n FROM generate_series(1, 3000) AS n),
      asks AS (INSERT INTO ask (id, owner, result, description, inputs, rules_digest, reasons)
        SELECT id, 'x', 'YES', '{}', '{}', '', '[]' FROM fresh)
      INSERT INTO reservation (ask_id, destination_id, state, starts_at, ends_at, expires_at, cores,
        memory_mib, scratch_mib)
      SELECT id, 'a', 'HELD', now() + n * interval '2 minutes', now() + n * interval '2 minutes' +
        interval '1 minute', 'infinity', n % 4000, 0, 0 FROM fresh`;
    const [a] = await drawn('?destination=a');
    expect(a?.steps.length).toBeLessThanOrEqual(1000);
    expect(a?.steps.length).toBeGreaterThan(500);
  });
});

describe('the calendar of ten busy destinations', () => {
  const names = Array.from({ length: 10 }, (_, index) => `d${index}`);
  afterEach(() => void jest.restoreAllMocks());
  const service = serveTests(
    {
      rules: ['rules.yml'],
      quotas: [{ for: 'anonymous', 'asks-per-minute': 3 }],
      destinations: Object.fromEntries(names.map((name) => [name, processDestination()])),
    },
    { destinations: Object.fromEntries(names.map((name) => [name, { runner: 'process' }])) },
  );

  test('has up to 1,000 steps of each, and a 304 costs nothing in the rate of asks', async () => {
    await service.db.database.$executeRaw`
      WITH fresh AS (SELECT gen_random_uuid() AS id, n FROM generate_series(1, 5000) AS n),
      asks AS (INSERT INTO ask (id, owner, result, description, inputs, rules_digest, reasons)
        SELECT id, 'x', 'YES', '{}', '{}', '', '[]' FROM fresh)
      INSERT INTO reservation (ask_id, destination_id, state, starts_at, ends_at, expires_at, cores,
        memory_mib, scratch_mib)
      SELECT id, 'd' || n % 10, 'HELD', now() + n * interval '1 minute', now() + n * interval '1 minute' +
        interval '1 minute', 'infinity', 1000, 0, 0 FROM fresh`;
    const query = `/calendar?from=${iso(Date.now() + 3_600_000)}&to=${iso(Date.now() + 4 * DAY_MS)}`;
    // The rate refills with its clock: one ask in 20 s, which a busy machine may take for these.
    jest.spyOn(performance, 'now').mockReturnValue(performance.now());
    const first = await service.send(query);
    const drawn: readonly Drawn[] = Object(first.document['calendar']).destinations;
    expect(drawn.map(({ steps }) => steps.length > 800 && steps.length <= 1000)).toEqual(
      names.map(() => true),
    );
    const tag = { 'If-None-Match': first.headers.get('etag') ?? fail() };
    for (let times = 0; times < 6; times += 1)
      expect((await service.send(query, { headers: tag })).status).toBe(304);
    expect((await service.send(query)).status).toBe(200);
    expect((await service.send(query)).status).toBe(200);
    expect((await service.send(query)).status).toBe(429);
  });
});

function fail(): never {
  throw new Error('it has none');
}
