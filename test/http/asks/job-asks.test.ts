import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestService, type TestService } from '../../harness/service.ts';
import { SMALL_RULES, SMALL_SITE } from '../../harness/site.ts';

const EXECUTABLE = 'https://www.purl.org/ivoa-net/task-type/executable';
const ASK = `task: { type: "${EXECUTABLE}", spec: { command: [sort, "-n"] } }`;
const TOO_MUCH = `${ASK}\nresources: { compute: [{ min-cores: 64 }] }`;

describe('a task description sent to the job list', () => {
  let asked = 0;
  const documents = createServer(({ url }, response) => {
    asked += 1;
    response.end(url === '/long.yml' ? `${ASK} # ${'x'.repeat(300 * 1024)}` : ASK);
  });
  let service: TestService;
  let elsewhere: string;
  beforeAll(async () => {
    await new Promise<void>((done) => documents.listen(0, '127.0.0.1', done));
    const address = documents.address();
    if (address === null || typeof address === 'string') throw new Error('no address');
    elsewhere = `127.0.0.1:${address.port}`;
    service = await startTestService(
      {
        rules: ['rules.yml'],
        fetch: { 'allow-hosts': [elsewhere] },
        destinations: {
          a: {
            runner: 'process',
            'task-types': ['executable'],
            cores: 63,
            memory: '126GiB',
            scratch: '16000GiB',
          },
        },
      },
      { destinations: { a: { runner: 'process' } } },
    );
  });
  afterAll(async () => {
    await service.close();
    documents.close();
  });

  const post = async (
    body: string | FormData | URLSearchParams,
    headers: Record<string, string> = {},
    path = '/jobs',
  ) => {
    const response = await fetch(service.url + path, {
      method: 'POST',
      redirect: 'manual',
      headers,
      body,
    });
    return {
      status: response.status,
      location: response.headers.get('location') ?? '',
      text: await response.text(),
    };
  };
  const YAML = { 'Content-Type': 'application/yaml' };
  const phase = async (location: string): Promise<string> =>
    (await fetch(`${location}/phase`)).text();

  test('under the key of a destroyed job is 410, and makes no second job', async () => {
    const headers = { 'Content-Type': 'application/yaml', 'Idempotency-Key': 'destroyed' };
    const { status, location } = await post(ASK, headers);
    expect(status).toBe(303);
    expect((await fetch(location, { method: 'DELETE', redirect: 'manual' })).status).toBe(303);
    const again = await post(ASK, headers);
    expect([again.status, again.text]).toEqual([410, expect.stringContaining('job-destroyed')]);
  });

  test('as YAML or JSON becomes a job that waits for its client', async () => {
    for (const [body, type] of [
      [ASK, 'application/yaml'],
      [`request: { ${ASK} }`, 'text/yaml'],
      [
        JSON.stringify({ task: { type: EXECUTABLE, spec: { command: ['ls'] } } }),
        'application/json',
      ],
    ] as const) {
      const { status, location } = await post(body, { 'Content-Type': type });
      expect([status, location.startsWith(`${service.url}/jobs/`)]).toEqual([303, true]);
      expect(await phase(location)).toBe('PENDING');
      expect(await (await fetch(`${location}/parameters/REQUEST`)).text()).toContain('command');
    }
  });

  test('with PHASE=RUN in the query starts', async () => {
    const { location } = await post(ASK, YAML, '/async?phase=RUN&RUNID=night');
    expect(location.startsWith(`${service.url}/async/`)).toBe(true);
    expect(await phase(location)).toBe('QUEUED');
    expect(await (await fetch(location)).text()).toContain('<uws:runId>night</uws:runId>');
  });

  test('may be the parameter REQUEST: in place, a part of the form, or at an allowed URL', async () => {
    const inPlace = await post(new URLSearchParams({ request: ASK, PHASE: 'RUN' }));
    expect([inPlace.status, await phase(inPlace.location)]).toEqual([303, 'QUEUED']);
    const form = new FormData();
    form.set('REQUEST', 'param:ask');
    form.set('ask', new Blob([ASK]), 'ask.yml');
    form.set('note', 'for the night');
    const part = await post(form);
    expect([part.status, await phase(part.location)]).toEqual([303, 'PENDING']);
    expect(await (await fetch(`${part.location}/parameters/note`)).text()).toBe('for the night');
    expect(
      (await post(new URLSearchParams({ REQUEST: `http://${elsewhere}/ask.yml` }))).status,
    ).toBe(303);
    const forbidden = await post(new URLSearchParams({ REQUEST: 'http://127.0.0.1:1/ask.yml' }));
    expect([forbidden.status, forbidden.text]).toEqual([
      400,
      expect.stringMatching(/^parameter-invalid: REQUEST names http:\/\/127\.0\.0\.1:1\/ask\.yml/),
    ]);
  });

  test('at a URL may be as large as in a body, and no larger', async () => {
    const long = await post(new URLSearchParams({ REQUEST: `http://${elsewhere}/long.yml` }));
    expect([long.status, long.text]).toEqual([
      400,
      expect.stringContaining('the file is larger than 262144 bytes'),
    ]);
  });

  test('may be a file of the form in JSON or XML, by its type', async () => {
    const json = JSON.stringify({ task: { type: EXECUTABLE, spec: { command: ['ls'] } } });
    const spec = '<spec><command><item>ls</item></command></spec>';
    const xml = `<request><task><type>${EXECUTABLE}</type>${spec}</task></request>`;
    for (const [text, type] of [
      [json, 'application/json'],
      [xml, 'application/xml'],
      [xml, 'text/xml; charset=utf-8'],
      [ASK, 'application/octet-stream'],
    ] as const) {
      const named = new FormData();
      named.set('REQUEST', 'param:ask');
      named.set('ask', new Blob([text], { type }), 'ask');
      const plain = new FormData();
      plain.set('request', new Blob([text], { type }), 'ask');
      for (const form of [named, plain]) {
        const { status, location, text: said } = await post(form);
        expect([type, status, said]).toEqual([type, 303, expect.anything()]);
        const kept = await (await fetch(`${location}/parameters/REQUEST`)).text();
        expect(kept).toContain('command');
      }
    }
  });

  test('is 400 beside an offer, or beside another one: nothing is left out silently', async () => {
    const before = await service.db.database.job.count();
    const offer = '01a1fca5-d69a-71dd-a91d-fba173f12415';
    const file = new FormData();
    file.set('OFFER', offer);
    file.set('REQUEST', new Blob([ASK]), 'ask.yml');
    for (const answer of [
      await post(ASK, YAML, `/jobs?OFFER=${offer}`),
      await post(new URLSearchParams({ OFFER: offer, REQUEST: ASK })),
      await post(file),
    ])
      expect(answer).toMatchObject({
        status: 400,
        text: expect.stringMatching(/^parameter-invalid: OFFER is "\S+"; it must be left out/),
      });
    expect(await post(ASK, YAML, '/jobs?REQUEST=other')).toMatchObject({
      status: 400,
      text: expect.stringMatching(/^parameter-invalid: REQUEST is "other"; it must be left out/),
    });
    // What clients of TAP send with each job is none of it.
    expect(await post(new URLSearchParams({ OFFER: offer, REQUEST: 'doQuery' }))).toMatchObject({
      status: 403,
      text: expect.stringMatching(/^offer-not-yours/),
    });
    expect(await service.db.database.job.count()).toBe(before);
  });

  test('is 403 with every reason when the planner says NO, and makes no job', async () => {
    const before = await service.db.database.job.count();
    const { status, text } = await post(TOO_MUCH, YAML);
    expect(status).toBe(403);
    expect(text).toMatch(
      /^job-refused: The planner says no\.\n- resources\.compute\[0\]\.min-cores: .*\[[a-z-]+\]\n/,
    );
    expect((await post(ASK.replace('executable', 'crystal-ball'), YAML)).text).toContain(
      '[unknown-task-type]',
    );
    expect(await service.db.database.job.count()).toBe(before);
  });

  test('is 400 when it cannot be read, and names the place', async () => {
    expect(await post('{', { 'Content-Type': 'application/json' })).toMatchObject({
      status: 400,
      text: expect.stringMatching(/^body-unreadable: /),
    });
    expect(await post('task: []', YAML)).toMatchObject({
      status: 400,
      text: expect.stringMatching(/^body-not-an-ask: .*task must be a mapping, not a list/),
    });
    expect(await post(new URLSearchParams({ REQUEST: 'doQuery' }))).toMatchObject({
      status: 400,
      text: expect.stringMatching(/^body-not-an-ask: /),
    });
    expect(await post(new URLSearchParams({ REQUEST: 'param:nothing' }))).toMatchObject({
      status: 400,
      text: expect.stringMatching(/^parameter-invalid: REQUEST is "param:nothing"/),
    });
  });

  test('is one job however often it comes with one Idempotency-Key', async () => {
    const key = { ...YAML, 'Idempotency-Key': 'once' };
    const [first, second] = [await post(ASK, key), await post(ASK, key)];
    expect([first.status, second.location]).toEqual([303, first.location]);
    expect((await post(TOO_MUCH, key)).status).toBe(422);
    const no = { ...YAML, 'Idempotency-Key': 'never' };
    expect([(await post(TOO_MUCH, no)).status, (await post(TOO_MUCH, no)).status]).toEqual([
      403, 403,
    ]);
  });

  test('is 422 under the key of a request with other parameters, and changes nothing', async () => {
    const key = { 'Idempotency-Key': 'settings' };
    const settings = { REQUEST: ASK, RUNID: 'night', note: 'one' };
    const send = (more: Record<string, string>, path = '/jobs') =>
      post(new URLSearchParams({ ...settings, ...more }), key, path);
    const first = await send({});
    const document = await (await fetch(first.location)).text();
    expect([first.status, await send({})]).toEqual([303, first]);
    for (const answer of [
      await send({ RUNID: 'day' }),
      await send({ DESTRUCTION: '2026-01-01T00:00:00Z' }),
      await send({ note: 'two' }),
      await send({}, '/jobs?PHASE=RUN'),
    ])
      expect(answer).toMatchObject({
        status: 422,
        text: expect.stringMatching(/^idempotency-mismatch/),
      });
    expect(await (await fetch(first.location)).text()).toBe(document);
  });

  test('is one job under one key at both paths of the list, with its parameters in any order', async () => {
    const key = { 'Idempotency-Key': 'paths' };
    const first = await post(new URLSearchParams({ REQUEST: ASK, a: '1', b: '2' }), key);
    const again = await post(new URLSearchParams({ b: '2', a: '1', REQUEST: ASK }), key, '/async');
    expect([first.status, again.status]).toEqual([303, 303]);
    expect(again.location).toBe(first.location.replace('/jobs/', '/async/'));
  });

  test('is one job for a key that an earlier version kept for the document alone', async () => {
    const key = { ...YAML, 'Idempotency-Key': 'kept' };
    const { location } = await post(ASK, key);
    const [kept] = await service.db.database.$queryRaw<{ route: string; hash: string }[]>`
      SELECT route, body_hash AS hash FROM idempotency WHERE key = 'kept'`;
    expect(kept).toEqual({
      route: 'POST /jobs/',
      hash: createHash('sha256').update(ASK).digest('base64url'),
    });
    expect((await post(ASK, key)).location).toBe(location);
  });

  test('at a URL is not fetched for a client who may not ask now', async () => {
    const limited = await startTestService(
      {
        ...SMALL_SITE,
        fetch: { 'allow-hosts': [elsewhere] },
        quotas: [{ for: 'anonymous', 'asks-per-minute': 1 }],
      },
      SMALL_RULES,
    );
    const ask = (): Promise<Response> =>
      fetch(`${limited.url}/jobs`, {
        method: 'POST',
        redirect: 'manual',
        body: new URLSearchParams({ REQUEST: `http://${elsewhere}/ask.yml` }),
      });
    try {
      const before = asked;
      expect([(await ask()).status, (await ask()).status, (await ask()).status]).toEqual([
        303, 429, 429,
      ]);
      expect(asked - before).toBe(1);
    } finally {
      await limited.close();
    }
  });

  test('cannot come from a page of another site', async () => {
    expect((await post(ASK, { ...YAML, 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403);
    expect((await post(ASK, { ...YAML, 'Sec-Fetch-Site': 'same-origin' })).status).toBe(303);
    expect(
      (await fetch(`${service.url}/jobs`, { headers: { 'Sec-Fetch-Site': 'cross-site' } })).status,
    ).toBe(200);
  });
});
