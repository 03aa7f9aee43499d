import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { dump, load } from 'js-yaml';
import { openMapping } from '../../../src/xml/mapping.ts';
import { readXml } from '../../../src/xml/document.ts';
import { contract, contractFaults } from '../../harness/contract.ts';
import { runs } from '../../harness/runs.ts';
import { serveTests } from '../../harness/serve.ts';

/** They log in as `Bearer <name>`; eve is an administrator. */
const PEOPLE = ['ada', 'bob', 'cat', 'dan', 'fay', 'gus', 'hal', 'eve'];
const SITE = {
  rules: ['rules.yml'],
  identity: {
    tokens: PEOPLE.map((name) => ({
      sha256: createHash('sha256').update(name).digest('hex'),
      user: `${name}@example.org`,
      ...(name === 'eve' && { roles: ['operators'] }),
    })),
    administrators: ['operators'],
  },
  destinations: {
    small: {
      runner: 'process',
      'task-types': ['executable'],
      cores: 6000,
      memory: '9000GiB',
      scratch: '9000GiB',
    },
  },
};
const RULES = { destinations: { small: { runner: 'process', max_accepted_cores: 6 } } };
const TASK = {
  type: 'https://www.purl.org/ivoa-net/task-type/executable',
  spec: { command: ['sort'] },
};
const LARGE = { task: TASK, resources: { compute: [{ 'min-cores': 64 }] } };

type Got = {
  readonly status: number;
  readonly link: string | null;
  readonly document: Record<string, unknown>;
};
type Item = Readonly<Record<string, unknown>>;

const service = serveTests(SITE, RULES);

/** An ask of a person. @returns its answer */
async function ask(who: string, document: object = { task: TASK }): Promise<Item> {
  return Object((await send('/request', who, document)).document['response']);
}

function offersOf(answer: Item): readonly Item[] {
  return Object(answer['offers']);
}

async function update(who: string, offer: Item | undefined, status: string): Promise<void> {
  const { status: code } = await send(`/offers/${offer?.['ident']}`, who, { status });
  if (code !== 200) throw new Error(`${status} was refused with ${code}`);
}

/** A list read page by page, by its links. @param between is called after each page */
async function pages(
  path: string,
  key: 'asks' | 'offers',
  who: string,
  between: (read: readonly Item[]) => Promise<unknown> = async () => undefined,
): Promise<readonly Item[]> {
  const found: Item[] = [];
  let url: string | undefined = path;
  while (url !== undefined) {
    const { status, link, document }: Got = await send(url, who);
    expect([status, contractFaults(key === 'asks' ? 'AskList' : 'OfferList', document)]).toEqual([
      200,
      [],
    ]);
    const [, next]: readonly string[] = /^<(.+)>; rel="next"$/.exec(link ?? '') ?? [];
    const cursor = next === undefined ? undefined : new URL(next).searchParams.get('after');
    expect(document['next']).toBe(cursor);
    found.push(...Object(document[key]));
    await between(found);
    url = next;
  }
  return found;
}

async function send(path: string, who: string, document?: object): Promise<Got> {
  const url = path.startsWith('http') ? path : service.url + path;
  const response = await fetch(url, {
    redirect: 'manual',
    headers: {
      'Content-Type': 'application/yaml',
      Accept: 'application/yaml',
      Authorization: `Bearer ${who}`,
    },
    ...(document !== undefined && { method: 'POST', body: dump(document) }),
  });
  const { status, headers } = response;
  return { status, link: headers.get('link'), document: Object(load(await response.text())) };
}

describe('GET /asks', () => {
  test("lists one's own asks, the latest first, with what became of their offers", async () => {
    const first = await ask('ada', { name: 'M31', task: TASK });
    const no = await ask('ada', LARGE);
    const strange = await ask('ada', { task: { type: 'urn:none' } });
    await ask('bob');
    await update('ada', offersOf(first)[0], 'ACCEPTED');
    const asks = await pages('/asks', 'asks', 'ada');
    expect(asks.map((one) => one['ask'])).toEqual([strange['ident'], no['ident'], first['ident']]);
    expect(asks[2]).toMatchObject({
      result: 'YES',
      name: 'M31',
      tool: expect.any(String),
      identity: { type: 'local', user: 'ada@example.org' },
      offers: offersOf(first).map(({ ident }) => ident),
      'open-offers': 0,
      accepted: offersOf(first)[0]?.['ident'],
    });
    expect(asks[1]).toMatchObject({ result: 'NO', offers: [], 'open-offers': 0 });
    expect(asks[1]).not.toHaveProperty('name');
    expect(asks[0]).not.toHaveProperty('tool');
    const open = await ask('ada');
    const { document } = await send('/asks?limit=1', 'ada');
    expect(Object(document['asks'])[0]['open-offers']).toBe(offersOf(open).length);
  });

  test('keeps its place while asks are added', async () => {
    const asked: unknown[] = [];
    for (let n = 0; n < 5; n += 1) asked.unshift((await ask('cat', LARGE))['ident']);
    for (const limit of [1, 2, 5, 100]) {
      const read = await pages(`/asks?limit=${limit}`, 'asks', 'cat', () => ask('dan', LARGE));
      expect(read.map((one) => one['ask'])).toEqual(asked);
    }
    const during = await pages('/asks?limit=2', 'asks', 'cat', () => ask('cat', LARGE));
    expect(during.map((one) => one['ask'])).toEqual(asked);
  });

  test.each(['limit=0', 'limit=x', 'after=x', 'after=1.2', 'owner=', 'other=1'])(
    'refuses %s',
    async (query) => {
      const { status, document } = await send(`/asks?${query}`, 'ada');
      expect([status, document['code']]).toEqual([400, 'parameter-invalid']);
    },
  );

  test('shows administrators those of a user, and of everybody', async () => {
    const of = async (owner: string): Promise<ReadonlySet<unknown>> => {
      const asks = await pages(`/asks?owner=${encodeURIComponent(owner)}&limit=3`, 'asks', 'eve');
      return new Set(asks.map((one) => Object(one['identity']).user));
    };
    await ask('ada', LARGE);
    expect(await of('ada@example.org')).toEqual(new Set(['ada@example.org']));
    expect((await of('*')).size).toBeGreaterThan(1);
    expect(await of('nobody')).toEqual(new Set());
    for (const owner of ['*', 'bob@example.org', 'ada@example.org'])
      expect(await send(`/asks?owner=${owner}`, 'ada')).toMatchObject({
        status: 403,
        document: { code: 'administrators-only' },
      });
  });
});

describe('GET /asks/{ident}', () => {
  const read = async (ident: unknown, who: string): Promise<Item> => {
    const { document } = await send(`/asks/${ident}`, who);
    expect(contractFaults('AskRecordBody', document)).toEqual([]);
    return Object(document['ask']);
  };

  test('has the document as it was sent, and the answer as it is now', async () => {
    const document = { name: 'M31', task: TASK, resources: { compute: [{ 'min-cores': 1 }] } };
    const answer = await ask('ada', document);
    const first = await read(answer['ident'], 'ada');
    expect(first).toMatchObject({ ask: answer['ident'], name: 'M31', document });
    const withoutTime = JSON.parse(
      JSON.stringify(answer, (key, value) => (key === 'expires-in' ? undefined : value)),
    );
    expect(first['answer']).toMatchObject(withoutTime);
    await update('ada', offersOf(answer)[0], 'REJECTED');
    const again: Item = Object((await read(answer['ident'], 'ada'))['answer']);
    expect(offersOf(again)[0]?.['status']).toBe('REJECTED');
  });

  test('has a NO with its reasons and what would be a YES', async () => {
    const answer = await ask('ada', LARGE);
    expect(answer).toHaveProperty('nearest');
    expect(await read(answer['ident'], 'ada')).toMatchObject({ document: LARGE, answer });
  });

  test('has an ask of another vocabulary in its own words', async () => {
    const kind = 'https://www.purl.org/ivoa-net/task-type/executable';
    const request = { meta: { name: 'M31' }, executable: { kind, command: ['sort'] } };
    const { document } = await send('/offersets', 'ada', request);
    const { uuid } = Object(document['meta']);
    const found = await read(uuid, 'ada');
    expect(found).toMatchObject({ name: 'M31', document: request, answer: { result: 'YES' } });
    const large = { executable: { kind, command: ['sort'] }, compute: { cores: { min: 64 } } };
    const no = await send('/offersets', 'ada', large);
    const refused = await read(Object(no.document['meta']).uuid, 'ada');
    expect(refused).toMatchObject({ document: large, answer: { result: 'NO' } });
    expect(refused['answer']).not.toHaveProperty('nearest');
  });

  test('is for its owner and administrators', async () => {
    const { ident } = await ask('bob');
    expect((await send(`/asks/${ident}`, 'eve')).status).toBe(200);
    for (const id of [ident, 'none', '00000000-0000-7000-8000-000000000000'])
      expect(await send(`/asks/${id}`, 'ada')).toMatchObject({
        status: 404,
        document: { code: 'ask-unknown' },
      });
  });

  test('comes in JSON and XML too, the same', async () => {
    const { ident } = await ask('ada', { name: 'M31', ...LARGE });
    const as = async (path: string, type: string): Promise<string> => {
      const headers = { Accept: type, Authorization: 'Bearer ada' };
      return (await fetch(service.url + path, { headers })).text();
    };
    for (const path of [`/asks/${ident}`, '/asks?limit=2']) {
      const answered = openMapping(contract).answered('GET', path.replace(/[?].*/, ''), 200);
      const json: unknown = JSON.parse(await as(path, 'application/json'));
      const xml = await as(path, 'application/xml');
      expect(readXml(xml, answered === undefined ? [] : [answered])).toEqual(json);
    }
  });
});

describe('GET /offers', () => {
  test('finds what is held for a client that lost its answers', async () => {
    const [first, second] = [await ask('fay'), await ask('fay')];
    await ask('bob');
    const [taken, ...siblings] = offersOf(first);
    await update('fay', taken, 'ACCEPTED');
    const of = async (query: string): Promise<readonly unknown[]> =>
      (await pages(`/offers?${query}`, 'offers', 'fay')).map((one) => one['ident']);
    const ids = (offers: readonly Item[]): readonly unknown[] => offers.map(({ ident }) => ident);
    expect(await of('status=OFFERED')).toEqual(ids(offersOf(second)));
    expect(await of('status=OFFERED&limit=1')).toEqual(ids(offersOf(second)));
    expect(await of('status=REJECTED')).toEqual(ids(siblings));
    expect(await of('')).toEqual([...ids(offersOf(second)), ...ids(offersOf(first))]);
    expect(await of('limit=1&status=OFFERED&status=REJECTED')).toEqual([
      ...ids(offersOf(second)),
      ...ids(siblings),
    ]);
    const { document } = await send('/offers?status=OFFERED', 'fay');
    const [listed] = Object(document['offers']);
    expect(listed).toMatchObject({ ask: second['ident'], href: offersOf(second)[0]?.['href'] });
  });

  test('shows an offer as EXPIRED from its end on, before the sweeper comes', async () => {
    const answer = await ask('gus');
    const ids = offersOf(answer).map(({ ident }) => ident);
    await service.db.database
      .$executeRaw`UPDATE offer SET expires_at = now() WHERE ask_id = ${answer['ident']}::uuid`;
    expect(await pages('/offers?status=OFFERED', 'offers', 'gus')).toEqual([]);
    const expired = await pages('/offers?status=EXPIRED', 'offers', 'gus');
    expect(expired.map((one) => one['ident'])).toEqual(ids);
  });

  test('keeps its place, whatever is asked, accepted and rejected between two pages', async () => {
    const step = fc.constantFrom('ask', 'reject a read one', 'nothing');
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(step, { minLength: 10, maxLength: 10 }),
        async (limit, steps) => {
          await service.db.database.$executeRaw`TRUNCATE ask CASCADE`;
          for (let n = 0; n < 3; n += 1) await ask('dan');
          const before = await pages('/offers', 'offers', 'dan');
          const left = [...steps];
          const read = await pages(`/offers?limit=${limit}`, 'offers', 'dan', async (so) => {
            const next = left.shift();
            if (next === 'ask') await ask('dan');
            if (next === 'reject a read one') await update('dan', so.at(-1), 'REJECTED');
          });
          const ids = (offers: readonly Item[]): readonly unknown[] =>
            offers.map(({ ident }) => ident);
          expect(ids(read)).toEqual(ids(before));
        },
      ),
      { numRuns: runs(5) },
    );
  });

  test('has those of some destinations on request', async () => {
    const offers = offersOf(await ask('hal'));
    const at = offers[0]?.['destination'];
    const of = (query: string) => pages(`/offers?${query}`, 'offers', 'hal');
    expect((await of(`destination=${at}`)).map((one) => one['ident'])).toEqual(
      offers.flatMap(({ destination, ident }) => (destination === at ? [ident] : [])),
    );
    expect(await of(`destination=${at}&destination=none&status=OFFERED`)).not.toEqual([]);
    expect(await of('destination=none')).toEqual([]);
    expect(await of('destination=%00')).toEqual([]);
  });

  test('shows others only to administrators, and refuses words that are no state', async () => {
    await ask('bob');
    const others = await pages('/offers?owner=*&status=OFFERED', 'offers', 'eve');
    expect(others.some((one) => Object(one['identity']).user === 'bob@example.org')).toBe(true);
    const mine = await pages('/offers', 'offers', 'ada');
    expect(mine.every((one) => Object(one['identity']).user === 'ada@example.org')).toBe(true);
    expect((await send('/offers?owner=*', 'ada')).status).toBe(403);
    expect((await send('/offers?status=open', 'ada')).status).toBe(400);
  });
});
