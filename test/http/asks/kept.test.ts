import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createPurge } from '../../../src/sweeper/purge.ts';
import { createClaims } from '../../../src/executor/claims.ts';
import { parseOfferId } from '../../../src/words/ids.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { tokenOf } from '../../harness/site.ts';

const TYPE = 'https://www.purl.org/ivoa-net/task-type/executable';
const DAY_S = 86_400;
const RULES = { destinations: { here: { runner: 'here' }, there: { runner: 'there' } } };

/** Does not become smaller, as most of what is sent to fill a disc. */
function noise(bytes: number): string {
  return randomBytes(Math.ceil((bytes * 3) / 4))
    .toString('base64')
    .slice(0, bytes);
}

let service: TestService;

async function start(quotas?: object): Promise<void> {
  service = await startTestService(site(quotas), RULES);
}

function site(quotas?: object): object {
  return {
    rules: ['rules.yml'],
    ...(quotas !== undefined && { quotas }),
    identity: { tokens: ['ada', 'bob'].map((user) => tokenOf(user, { user })) },
    destinations: {
      here: {
        runner: 'process',
        'task-types': ['executable'],
        cores: 400,
        memory: '400GiB',
        scratch: '4000GiB',
      },
      there: {
        runner: 'process',
        'task-types': ['executable'],
        cores: 400,
        memory: '400GiB',
        scratch: '4000GiB',
      },
    },
  };
}

function ask(spec: object, resources: object = { compute: [{ 'min-cores': 1 }] }) {
  return { task: { type: TYPE, spec }, resources };
}

function offersOf({
  document,
}: Awaited<ReturnType<typeof send>>): readonly {
  readonly ident: string;
  readonly href: string;
  readonly request: unknown;
}[] {
  return document['response'].offers;
}

async function send(path: string, body: object | string, token = 'ada', type = 'application/json') {
  const response = await fetch(path.startsWith('http') ? path : `${service.url}${path}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'Content-Type': type, Accept: 'application/json', Authorization: `Bearer ${token}` },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    document: text.startsWith('{') ? Object(JSON.parse(text)) : {},
  };
}

async function stored(owner: string): Promise<number> {
  return Number((await service.db.database.stored.findUnique({ where: { owner } }))?.bytes ?? 0);
}

async function get(url: string): Promise<string> {
  return (await fetch(url, { headers: { Authorization: 'Bearer ada' } })).text();
}

describe('the text of an ask', () => {
  beforeAll(() => start());
  afterAll(() => service.close());

  test('is a parameter of its job as the client wrote it, and can be asked again as it is', async () => {
    const document = {
      task: { type: TYPE, spec: { command: ['echo', 'hello'], environment: { B: '2', A: '1' } } },
      resources: {
        compute: [{ 'min-cores': 1.5, 'min-memory': '1.5Gb', 'max-memory': '3 GiB' }],
        storage: [
          { name: 's', size: '2Gb', type: 'https://www.purl.org/ivoa-net/storage-type/ephemeral' },
        ],
      },
      time: [{ duration: 'PT10M' }],
    };
    const [first] = offersOf(await send('/request', { request: document }));
    await send(first?.href ?? '', { status: 'ACCEPTED' });
    const again = await get(`${service.url}/jobs/${first?.ident}/parameters/REQUEST`);
    const { response } = (await send('/request', again, 'ada', 'application/yaml')).document;
    expect(response).toMatchObject({ result: 'YES' });
    const kept = await service.db.database.ask.findFirstOrThrow({ orderBy: { createdAt: 'asc' } });
    expect(kept.document).toEqual(document);
    expect(again).toContain('min-memory: 1.5Gb');
  });

  test('is kept once, however many offers it got; each offer and the executor see all of it', async () => {
    const before = await stored('user:ada');
    const spec = {
      command: ['echo', noise(60_000)],
      environment: Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`V${n}`, noise(300)])),
    };
    const size = JSON.stringify(spec).length;
    const offers = offersOf(await send('/request', ask(spec)));
    expect(offers).toHaveLength(2);
    for (const { request } of offers) expect(Object(request).task.spec).toEqual(spec);
    const [first] = offers;
    const id = parseOfferId(first?.ident ?? '');
    expect(
      Object(
        JSON.parse(
          await (
            await fetch(first?.href ?? '', {
              headers: { Authorization: 'Bearer ada', Accept: 'application/json' },
            })
          ).text(),
        ),
      ).offer.request.task.spec,
    ).toEqual(spec);
    await send(first?.href ?? '', { status: 'ACCEPTED' });
    await service.db.database
      .$executeRaw`UPDATE job SET executor = 'x' WHERE id = ${first?.ident}::uuid`;
    const claimed =
      id &&
      (await createClaims(service.db.database, {
        executor: 'x',
        home: { host: 'h' },
        leaseSeconds: 10,
      }).read(id));
    expect(claimed?.promise.task).toMatchObject({
      type: 'executable',
      command: spec.command,
      environment: spec.environment,
    });
    const [row] = await service.db.database.$queryRaw<{ bytes: number }[]>`
      SELECT (pg_column_size(a.document) + pg_column_size(a.inputs) + pg_column_size(a.reasons)
        + (SELECT sum(pg_column_size(o.promise)) FROM offer o WHERE o.ask_id = a.id))::int AS bytes
      FROM ask a JOIN offer o ON o.ask_id = a.id WHERE o.id = ${first?.ident}::uuid`;
    expect(row?.bytes).toBeGreaterThan(0.7 * size);
    expect(row?.bytes).toBeLessThan(1.1 * size + 10_000);
    expect((await stored('user:ada')) - before).toBeGreaterThan(size);
    expect((await stored('user:ada')) - before).toBeLessThan(1.1 * size + 10_000);
  });

  test('takes less disc where it repeats itself', async () => {
    await send(
      '/request',
      ask({ command: ['echo', 'the same words again and again. '.repeat(3000)] }),
      'bob',
    );
    const [row] = await service.db.database.$queryRaw<
      { bytes: number }[]
    >`SELECT pg_column_size(document) AS bytes FROM ask WHERE owner = 'user:bob'`;
    expect(row?.bytes).toBeLessThan(96_000 / 20);
  });

  test('counts for its owner, with the parameters of its jobs, until it is gone', async () => {
    const job = offersOf(await send('/request', ask({ command: ['echo', noise(2000)] }), 'bob'))[0];
    await send(job?.href ?? '', { status: 'ACCEPTED', start: 'client' }, 'bob');
    const before = await stored('user:bob');
    const put = await fetch(`${service.url}/jobs/${job?.ident}/parameters/mine`, {
      method: 'PUT',
      redirect: 'manual',
      headers: { Authorization: 'Bearer bob' },
      body: noise(5000),
    });
    expect(put.status).toBe(303);
    expect(await stored('user:bob')).toBe(before + 5000 + 'mine'.length);
    await service.db.database
      .$executeRaw`UPDATE ask SET created_at = created_at - interval '100 days' WHERE owner = 'user:bob'`;
    await service.db.database
      .$executeRaw`UPDATE offer SET state = 'EXPIRED' WHERE owner = 'user:bob' AND state = 'OFFERED'`;
    await service.db.database
      .$executeRaw`UPDATE reservation SET state = 'LAPSED' WHERE state = 'HELD'`;
    await createPurge(service.db.database, () => performance.now()).run();
    const [left] = await service.db.database.$queryRaw<
      { bytes: number; asks: number }[]
    >`SELECT sum(bytes)::int AS bytes, count(*)::int AS asks FROM ask WHERE owner = 'user:bob'`;
    expect(left).toEqual({ bytes: await stored('user:bob'), asks: 1 });
  });
});

describe('a quota of what is stored', () => {
  beforeAll(() =>
    start([
      { for: 'user', stored: '1MiB' },
      { for: 'anonymous', holds: 3 },
    ]),
  );
  afterAll(() => service.close());

  test('bounds what one client can make us keep in any way; others go on', async () => {
    const large = (cores: number) =>
      send(
        '/request',
        ask({ command: ['echo', noise(200_000)] }, { compute: [{ 'min-cores': cores }] }),
      );
    const statuses: number[] = [];
    for (let n = 0; n < 30 && statuses.at(-1) !== 429; n += 1)
      statuses.push((await large(n % 2 === 0 ? 1 : 4000)).status);
    const refused = await large(1);
    expect([statuses.at(-1), statuses.length < 30, refused.document.code]).toEqual([
      429,
      true,
      'too-much-stored',
    ]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    // The last that was let in is the one that passed it.
    expect(await stored('user:ada')).toBeLessThan(1_048_576 + 2 * 210_000);
    expect((await send('/jobs', ask({ command: ['true'] }))).status).toBe(429);
    expect(
      (await send('/jobs', 'OFFER=x&mine=1', 'ada', 'application/x-www-form-urlencoded')).status,
    ).toBe(429);
    expect((await send('/request?dry-run=true', ask({ command: ['true'] }))).status).toBe(200);
    expect((await send('/request', ask({ command: ['true'] }), 'bob')).status).toBe(200);
  });

  test('holds after a restart, and for another planner: the database counts', async () => {
    const used = await stored('user:ada');
    expect(used).toBeGreaterThan(1_048_576);
    const [row] = await service.db.database.$queryRaw<
      { bytes: number }[]
    >`SELECT sum(bytes)::float8 AS bytes FROM ask WHERE owner = 'user:ada'`;
    expect(row?.bytes).toBe(used);
    await service.db.database
      .$executeRaw`UPDATE ask SET created_at = created_at - make_interval(secs => ${8 * DAY_S})`;
    await service.db.database
      .$executeRaw`UPDATE reservation SET expires_at = clock_timestamp() WHERE state = 'HELD'`;
    await service.db.database.$queryRaw`SELECT lapse_due(NULL, 1000)`;
    await createPurge(service.db.database, () => performance.now()).run();
    expect([await stored('user:ada'), await service.db.database.ask.count()]).toEqual([0, 0]);
  });
});

describe('a key of an update', () => {
  beforeAll(() => start());
  afterAll(() => service.close());

  test('counts for its owner until it is forgotten, whatever the update did', async () => {
    const [offer] = offersOf(await send('/request', ask({ command: ['true'] })));
    const before = await stored('user:ada');
    const update = (status: string, key: string) =>
      fetch(offer?.href ?? '', {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          Authorization: 'Bearer ada',
          'Idempotency-Key': key,
        },
        body: JSON.stringify({ status }),
      });
    for (let n = 0; n < 5; n += 1) {
      await update('ACCEPTED', `accept-${n}`);
      await update('REJECTED', `reject-${n}`);
    }
    await update('REJECTED', 'reject-0');
    expect(await stored('user:ada')).toBe(before + 10 * 512);
    await service.db.database
      .$executeRaw`UPDATE idempotency SET created_at = created_at - interval '25 hours'`;
    await createPurge(service.db.database, () => performance.now()).run();
    expect(await stored('user:ada')).toBe(before);
  });
});
