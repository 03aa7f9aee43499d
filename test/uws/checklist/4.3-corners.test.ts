import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createServer } from 'node:http';
import { Client } from 'pg';
import express from 'express';
import { until } from '../clients/worker.ts';
import { openChecked, type Checked } from './client.ts';

let uws: Checked;
beforeAll(async () => {
  uws = await openChecked();
});
afterAll(() => uws.close());

async function status(target: string, init: Parameters<Checked['ask']>[1] = {}): Promise<number> {
  return (await uws.ask(target, init)).status;
}

test('4.3.1 nillable and empty elements are there', async () => {
  const { text } = await uws.ask(`/${await uws.job()}`);
  for (const part of [
    '<uws:startTime xsi:nil="true"/>',
    '<uws:endTime xsi:nil="true"/>',
    '<uws:results/>',
    '<uws:parameters>',
  ])
    expect(text).toContain(part);
});
test('4.3.2 WAIT heeds PHASE, and a change by another process answers it (how soon: test/bench)', async () => {
  const id = await uws.job();
  expect(await uws.value(`/${id}?WAIT=50&PHASE=PENDING`)).toContain('QUEUED');
  const elsewhere = new Client({ connectionString: uws.databaseUrl });
  await elsewhere.connect();
  await elsewhere.query("SELECT begin_job($1::uuid, 'e', 'h', interval '1 minute')", [id]);
  const answer = uws.ask(`/${id}?WAIT=50&PHASE=QUEUED`);
  await until(() => uws.waiters.size() === 1);
  await elsewhere.query("SELECT advance_job($1::uuid, 'e', 'RUNNING')", [id]);
  expect((await answer).text).toContain('<uws:phase>EXECUTING<');
  await elsewhere.end();
});
test('4.3.3 WAIT=0, negatives and words are 400; nobody waits in a final phase; waiters are counted', async () => {
  const id = await uws.complete(await uws.job());
  for (const wait of ['0', '-2', 'soon', '1.5', ''])
    expect([wait, await status(`/${id}?WAIT=${wait}`)]).toEqual([wait, 400]);
  expect(await uws.value(`/${id}?WAIT=-1`)).toContain('COMPLETED');
  const gone = new AbortController();
  const left = uws.ask(`/${await uws.job()}?WAIT=50`, { signal: gone.signal }).catch(() => 'left');
  await until(() => uws.waiters.size() === 1);
  gone.abort();
  expect(await left).toBe('left');
  await until(() => uws.waiters.size() === 0);
});
test("4.3.4 every change is 303 with an absolute Location below the client's base, also by /async", async () => {
  const id = await uws.job('CLIENT');
  await uws.goesTo(`${uws.root}/async/${id}`, `${uws.root}/async`, { form: `OFFER=${id}` });
  await uws.goesTo(`${uws.root}/async/${id}`, `${uws.root}/async/${id}/phase`, {
    form: 'PHASE=RUN',
  });
  await uws.goesTo(`${uws.root}/async`, `${uws.root}/async/${id}`, { method: 'DELETE' });
  expect(await status(`/${id}`)).toBe(404);
});
test('4.3.4 X-Forwarded-* name the base when they come from a trusted proxy, and not otherwise', async () => {
  const { baseUrlOf } = await import('../../../src/http/edge/base-url.ts');
  for (const [trust, expected] of [
    ['loopback', 'https://vo.example.org'],
    [false, undefined],
  ] as const) {
    const app = express()
      .set('trust proxy', trust)
      .get('/', (req, res) => res.send(baseUrlOf(undefined)(req)));
    const server = createServer(app);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no address');
    const own = `http://127.0.0.1:${address.port}`;
    const baseOf = async (headers: Record<string, string>): Promise<string> =>
      (await fetch(own, { headers })).text();
    const said = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'vo.example.org' };
    const bases = [
      await baseOf(said),
      await baseOf({ ...said, 'X-Forwarded-Prefix': '/vo/planner/' }),
      await baseOf({ ...said, 'X-Forwarded-Prefix': '/"><script>' }),
    ];
    server.close();
    expect(bases).toEqual(
      expected === undefined ? [own, own, own] : [expected, `${expected}/vo/planner`, expected],
    );
  }
});
test('4.3.5 403 by state, 400 if malformed, 404 if unknown; ABORT again is 303; COMPLETED stays', async () => {
  const id = await uws.job('CLIENT');
  expect(await status(`/${id}/phase`, { form: 'PHASE=FLY' })).toBe(400);
  await uws.goesTo(uws.url(id), `/${id}/phase`, { form: 'PHASE=ABORT' });
  await uws.goesTo(uws.url(id), `/${id}/phase`, { form: 'PHASE=ABORT' });
  expect(await status(`/${id}/phase`, { form: 'PHASE=RUN' })).toBe(403);
  const done = await uws.complete(await uws.job('AUTO'));
  expect(await status(`/${done}/phase`, { form: 'PHASE=ABORT' })).toBe(403);
  expect(await uws.phase(done)).toBe('COMPLETED');
});
test('4.3.5 PHASE=RUN of a job that starts by itself is 303 in any phase: it was run', async () => {
  const id = await uws.job('AUTO');
  await uws.goesTo(uws.url(id), `/${id}/phase`, { form: 'PHASE=RUN' });
  await uws.complete(id);
  await uws.goesTo(uws.url(id), `/${id}/phase`, { form: 'PHASE=RUN' });
  expect(await uws.phase(id)).toBe('COMPLETED');
});
test('4.3.6 the containers are served while they are empty, /error is 404 when there is none', async () => {
  const id = await uws.job();
  expect([
    await status(`/${id}/results`),
    await status(`/${id}/parameters`),
    await status(`/${id}/error`),
  ]).toEqual([200, 200, 404]);
});
test('4.3.7 an unknown quote is empty text', async () => {
  const id = await uws.complete(await uws.job());
  expect(await uws.ask(`/${id}/quote`)).toMatchObject({ status: 200, text: '' });
});
test('4.3.8 names are case-insensitive in query, urlencoded and multipart; values are not', async () => {
  const id = await uws.job('CLIENT');
  const form = new FormData();
  form.set('exeCUTIONduraTION', '5');
  expect(
    (
      await fetch(`${uws.url(id)}/executionduration`, {
        method: 'POST',
        body: form,
        redirect: 'manual',
      })
    ).status,
  ).toBe(303);
  expect(await uws.value(`/${id}/executionduration`)).toBe('5');
  await uws.goesTo(uws.url(id), `/${id}/destruction`, { form: 'desTRUcTiON=2999' });
  expect(await status('?PHAse=PENDING&lAst=1&aFTer=2015')).toBe(200);
  expect(await status('?PHASE=pending')).toBe(400);
  await uws.goesTo(uws.url(id), `/${id}/phase`, { form: 'PHAse=RUN' });
});
test('4.3.9 LAST is the most recent by creation, ARCHIVED is hidden, AFTER is UTC and takes no offset', async () => {
  const owner = 'user:corner';
  const ids = [
    await uws.job('AUTO', owner),
    await uws.job('AUTO', owner),
    await uws.complete(await uws.job('AUTO', owner)),
  ];
  expect(await uws.ids('?LAST=2', 'corner')).toEqual([ids[2], ids[1]]);
  await uws.ask(`/${ids[2]}/destruction`, { form: 'DESTRUCTION=2015', as: 'corner' });
  await uws.database.$queryRaw`SELECT archive_due_jobs(10)`;
  expect(await uws.ids('', 'corner')).toEqual([ids[1], ids[0]]);
  expect(await uws.ids('?PHASE=ARCHIVED', 'corner')).toEqual([ids[2]]);
  for (const after of [
    '2015-10-26T09:15:35',
    '2015-10-26%2009:00',
    '2015-10-26',
    '2015',
    '20151026',
  ])
    expect(await uws.ids(`?AFTER=${after}`, 'corner')).toHaveLength(2);
  for (const after of ['2015-26-10', 'sometext', '2015-10-26T09:15:35%2B01:00'])
    expect([after, await status(`?AFTER=${after}`)]).toEqual([after, 400]);
});
test('4.3.10 an execution duration that was clamped shows in the job after the redirect', async () => {
  const id = await uws.job();
  await uws.ask(`/${id}/executionduration`, { form: 'EXECUTIONDURATION=999999' });
  expect(await uws.element(id, 'executionDuration')).toBe('3600');
});
test('4.3.11 a POST to the job takes DELETE, PHASE, or parameters; anything else is 400', async () => {
  const id = await uws.job('CLIENT');
  for (const form of [
    '',
    'ACTION=UNDELETE',
    'ACTION=DELETE&PHASE=RUN',
    'ACTION=DELETE&RUNID=x',
    'WAIT=1',
  ])
    expect([form, await status(`/${id}`, { form })]).toEqual([form, 400]);
  await uws.goesTo(uws.url(id), `/${id}`, { form: 'RUNID=a' });
  await uws.goesTo(uws.url(id), `/${id}`, { form: 'PHASE=RUN' });
  expect(await status(`/${id}`, { form: 'RUNID=b' })).toBe(403);
  await uws.goesTo(uws.url(id), `/${id}`, { form: 'PHASE=ABORT' });
  expect(await uws.phase(id)).toBe('ABORTED');
});
test('4.3.12 a job id is a hexadecimal UUID, which no client truncates', async () => {
  expect(await uws.job()).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
});
test('4.3.13 values are escaped; what XML cannot hold, and what is huge, is given by reference', async () => {
  const id = await uws.job('CLIENT');
  await uws.ask(`/${id}/parameters`, {
    form: `A=${encodeURIComponent('<b>&"\'')}&B=${encodeURIComponent('\u0001')}&C=${'x'.repeat(5000)}`,
  });
  const { text } = await uws.ask(`/${id}/parameters`);
  expect(text).toContain('<uws:parameter id="A">&lt;b&gt;&amp;"\'</uws:parameter>');
  for (const name of ['B', 'C'])
    expect(text).toContain(
      `<uws:parameter id="${name}" byReference="true">${uws.url(id)}/parameters/${name}</uws:parameter>`,
    );
  expect([
    await uws.value(`/${id}/parameters/B`),
    (await uws.value(`/${id}/parameters/C`)).length,
  ]).toEqual(['\u0001', 5000]);
});
test('4.3.14 the job list has an index that gives it in its order', async () => {
  const plan = await uws.database.$queryRaw<
    { indexdef: string }[]
  >`SELECT indexdef FROM pg_indexes WHERE tablename = 'job'`;
  expect(plan.map(({ indexdef }) => indexdef).join('\n')).toMatch(/\(owner, created_at, id\)/);
});
test('4.3.15 a job that was aborted while PENDING has an end time and no start time', async () => {
  const id = await uws.job('CLIENT');
  await uws.ask(`/${id}/phase`, { form: 'PHASE=ABORT' });
  expect((await uws.ask(`/${id}`)).text).toMatch(
    /<uws:startTime xsi:nil="true"\/><uws:endTime>\d{4}-.*Z</,
  );
});
test('4.3.16 HEAD is answered everywhere without a body, and does not wait', async () => {
  const id = await uws.start(await uws.job());
  for (const target of [
    '',
    `/${id}`,
    `/${id}?WAIT=-1`,
    ...[
      'phase',
      'executionduration',
      'destruction',
      'quote',
      'parameters',
      'parameters/OFFER',
      'parameters/REQUEST',
      'results',
      'results/stdout',
    ].map((part) => `/${id}/${part}`),
  ]) {
    const { status: code, text } = await uws.ask(target, { method: 'HEAD' });
    expect([target, code, text]).toEqual([target, 200, '']);
  }
  expect(await status(`/${id}/error`, { method: 'HEAD' })).toBe(404);
});
test('4.3.17 nothing of a job is kept by caches, errors included', async () => {
  const id = await uws.job();
  for (const target of [
    '',
    `/${id}`,
    `/${id}/phase`,
    `/${id}/owner`,
    `/${id}/error`,
    '/nonsense',
    `/${id}/results/none`,
    '?LAST=x',
  ]) {
    expect([target, (await uws.ask(target)).headers.get('cache-control')]).toEqual([
      target,
      'no-store',
    ]);
  }
});
test('no answer was a server error', () => expect(uws.unexpected).toEqual([]));
