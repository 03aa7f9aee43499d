import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { hasSchema, openSchema } from './clients/schema.ts';
import { openWorker, type Worker } from './clients/worker.ts';

let worker: Worker;
beforeAll(async () => {
  worker = await openWorker();
});
afterAll(() => worker.close());

async function list(query: string, as: string): Promise<readonly string[]> {
  const answer = await worker.ask(query, { as });
  expect(answer.status).toBe(200);
  return idsOf(answer.text);
}

function idsOf(text: string): readonly string[] {
  return [...text.matchAll(/ id="([^"]+)"/g)].map((match) => match[1] ?? '');
}

describe('POST OFFER=<id> to the job list', () => {
  test('redirects to the job of an accepted offer, any number of times, by the URL that the client used', async () => {
    const id = await worker.job('CLIENT');
    for (const base of [worker.jobs, `${worker.root}/async`]) {
      const answer = await worker.ask(base, { form: `offer=${id}&LANG=ADQL&QUERY=x` });
      expect(answer.status).toBe(303);
      expect(answer.headers.get('location')).toBe(`${base}/${id}`);
    }
    expect(await worker.phase(id)).toBe('PENDING');
  });

  test('with PHASE=RUN, in body or query, starts a job that its client starts', async () => {
    const [first, second] = [await worker.job('CLIENT'), await worker.job('CLIENT')];
    await worker.ask('', { form: `OFFER=${first}&PHASE=RUN` });
    await worker.ask('?phase=RUN', { form: `OFFER=${second}` });
    expect([await worker.phase(first), await worker.phase(second)]).toEqual(['QUEUED', 'QUEUED']);
    await worker.complete(first);
    expect((await worker.ask('', { form: `OFFER=${first}&PHASE=RUN` })).status).toBe(303);
    expect(await worker.phase(first)).toBe('COMPLETED');
  });

  test('with RUNID names a job that has no name', async () => {
    const id = await worker.job();
    await worker.ask('', { form: `OFFER=${id}&RUNID=daily-42` });
    await worker.ask('', { form: `OFFER=${id}&RUNID=other` });
    expect((await worker.ask(`/${id}/parameters/RUNID`)).text).toBe('daily-42');
    expect((await worker.ask(`/${id}`)).text).toContain('<uws:runId>daily-42</uws:runId>');
  });

  test.each([
    `RUNID=${'x'.repeat(65)}`,
    'RUNID=a%00b',
    'RUNID=',
    'PHASE=ABORT',
    'PHASE=bogus',
    'PHASE=RUN&phase=RUN',
    'OFFER=second',
  ])('with %s is refused and changes nothing', async (parameter) => {
    const id = await worker.job('CLIENT');
    const answer = await worker.ask('', { form: `OFFER=${id}&${parameter}` });
    expect([answer.status, answer.text]).toEqual([
      400,
      expect.stringMatching(/^parameter-invalid: (RUNID|PHASE|OFFER) is /),
    ]);
    expect(await worker.phase(id)).toBe('PENDING');
  });

  test('without OFFER says that it is missing', async () => {
    for (const form of ['', 'LANG=ADQL']) {
      expect(await worker.ask('', { form })).toMatchObject({
        status: 400,
        text: expect.stringMatching(
          /^parameter-invalid: OFFER is missing; it must be the id of an offer that you have accepted/,
        ),
      });
    }
    expect((await worker.ask('', { method: 'POST' })).status).toBe(400);
  });

  test('of an offer that is not accepted yet says how to accept it', async () => {
    const id = await worker.offer();
    expect(await worker.ask('', { form: `OFFER=${id}` })).toMatchObject({
      status: 403,
      text:
        `offer-not-accepted: Offer ${id} is not accepted yet. Accept it first: POST status: ` +
        `ACCEPTED to ${worker.root}/offers/${id}.\n`,
    });
  });

  test('of an expired or rejected offer says to ask again', async () => {
    const [lapsed, rejected] = [await worker.offer('anonymous', -1), await worker.offer()];
    await worker.database
      .$queryRaw`SELECT verdict FROM reject_offer(${rejected}::uuid, 'anonymous')`;
    expect((await worker.ask('', { form: `OFFER=${lapsed}` })).text).toBe(
      `offer-not-accepted: Offer ${lapsed} is EXPIRED; ask again for a new one.\n`,
    );
    expect((await worker.ask('', { form: `OFFER=${rejected}` })).text).toContain(
      'is REJECTED; ask again',
    );
  });

  test("of another user's offer is refused in the same words as of an unknown one", async () => {
    const foreign = await worker.job('AUTO', 'user:bob');
    for (const id of [foreign, '00000000-0000-7000-8000-000000000000', 'nonsense']) {
      expect(await worker.ask('', { form: `OFFER=${id}`, as: 'alice' })).toMatchObject({
        status: 403,
        text: `offer-not-yours: There is no offer "${id}" of yours.\n`,
      });
    }
  });

  test('takes only forms and documents, up to a maximum size', async () => {
    const csv = await worker.ask('', { form: 'a,b', headers: { 'content-type': 'text/csv' } });
    expect([csv.status, csv.text]).toEqual([
      415,
      expect.stringMatching(/^media-type-unsupported: /),
    ]);
    const broken = await worker.ask('', {
      form: 'x',
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
    });
    expect([broken.status, broken.text]).toEqual([
      400,
      expect.stringMatching(/^body-unreadable: /),
    ]);
    expect((await worker.ask('', { form: `QUERY=${'x'.repeat(70_000)}` })).status).toBe(413);
  });
});

describe('the job list', () => {
  test("shows one's own jobs, the newest first, and nobody else's", async () => {
    const mine = [await worker.job('AUTO', 'user:carol'), await worker.job('CLIENT', 'user:carol')];
    await worker.job('AUTO', 'user:dave');
    expect(await list('', 'carol')).toEqual([...mine].reverse());
    const { text, headers } = await worker.ask('', { as: 'carol' });
    expect(headers.get('content-type')).toMatch(/^application\/xml/);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(text).toContain(
      `<uws:jobref id="${mine[0]}" xlink:type="simple" xlink:href="${worker.jobs}/${mine[0]}">` +
        '<uws:phase>QUEUED</uws:phase><uws:ownerId>carol</uws:ownerId><uws:creationTime>',
    );
  });

  test('is filtered by phases, time and number, all at once', async () => {
    const as = 'erin';
    const owner = 'user:erin';
    const [pending, queued, running, done, archived] = [
      await worker.job('CLIENT', owner),
      await worker.job('AUTO', owner),
      await worker.start(await worker.job('AUTO', owner)),
      await worker.complete(await worker.job('AUTO', owner)),
      await worker.complete(await worker.job('AUTO', owner)),
    ];
    await worker.database.job.update({
      where: { id: archived },
      data: { destructionAt: new Date(0) },
    });
    await worker.database.$queryRaw`SELECT archive_due_jobs(10)`;
    expect(await list('', as)).toEqual([done, running, queued, pending]);
    expect(await list('?PHASE=PENDING', as)).toEqual([pending]);
    expect(await list('?PHASE=QUEUED&phase=EXECUTING', as)).toEqual([running, queued]);
    expect(await list('?PHASE=ARCHIVED', as)).toEqual([archived]);
    expect(await list('?PHASE=ARCHIVED&PHASE=COMPLETED', as)).toEqual([archived, done]);
    expect(await list('?PHASE=HELD', as)).toEqual([]);
    expect(await list('?LAST=2', as)).toEqual([done, running]);
    expect(await list('?LAST=1&PHASE=PENDING', as)).toEqual([pending]);
    expect(await list('?LAST=99999999999', as)).toHaveLength(4);
    expect(await list('?AFTER=2999', as)).toEqual([]);
    expect(await list('?AFTER=9999-12-31T23:59:59.999Z', as)).toEqual([]);
    expect(await list('?ENDEDAFTER=9999-12-31T23:59:59.999Z', as)).toEqual([]);
    expect(await list('?AFTER=2015-10-26%2009:00', as)).toHaveLength(4);
  });

  test('does not repeat a job after the time that it shows', async () => {
    const owner = 'user:frank';
    const [early, late] = [await worker.job('AUTO', owner), await worker.job('AUTO', owner)];
    await worker.database
      .$executeRaw`UPDATE job SET created_at = '2026-08-10T10:00:00.123456Z' WHERE id = ${early}::uuid`;
    await worker.database
      .$executeRaw`UPDATE job SET created_at = '2026-08-10T10:00:00.124Z' WHERE id = ${late}::uuid`;
    expect((await worker.ask('', { as: 'frank' })).text).toContain('2026-08-10T10:00:00.123Z');
    expect(await list('?AFTER=2026-08-10T10:00:00.123Z', 'frank')).toEqual([late]);
    expect(await list('?AFTER=2026-08-10T10:00:00.122Z', 'frank')).toEqual([late, early]);
    expect(await list('?AFTER=2026-08-10T10:00:00.124Z', 'frank')).toEqual([]);
  });

  test('refuses a filter that it cannot read', async () => {
    for (const query of [
      '?PHASE=pendinggg',
      '?PHASE=1345',
      '?LAST=-1',
      '?LAST=text',
      '?AFTER=sometext',
      '?AFTER=2015-10-26T09:15:35%2B01:00',
    ]) {
      expect((await worker.ask(query)).status).toBe(400);
    }
  });

  test('is complete when it is longer than a page, even with jobs of the same instant', async () => {
    const seed = await worker.job('AUTO', 'user:grace');
    await worker.database.$executeRaw`
      WITH made AS (
        INSERT INTO offer (id, ask_id, place, owner, state, destination_id, runner, expires_at,
          promise, cores, memory_mib, scratch_mib, starts_at,
                           duration_s, start_window_s, release_s)
        SELECT gen_random_uuid(), ask_id, n, owner, 'REJECTED', destination_id, runner, expires_at,
          promise, cores, memory_mib, scratch_mib, starts_at,
               duration_s, start_window_s, release_s
        FROM offer, generate_series(1, 1100) AS n WHERE id = ${seed}::uuid RETURNING id, owner)
      INSERT INTO job (id, owner, created_at, start_mode, start_before, execution_s, destruction_at)
      SELECT id, owner, '2026-01-01'::timestamptz, 'AUTO', now(), 60, now() FROM made`;
    await worker.database.$executeRaw`ALTER TABLE offer DISABLE TRIGGER offer_state`;
    await worker.database.$executeRaw`DROP INDEX offer_one_winner`;
    await worker.database
      .$executeRaw`UPDATE offer SET state = 'WAITING' WHERE owner = 'user:grace' AND state = 'REJECTED'`;
    expect(new Set(await list('', 'grace')).size).toBe(1101);
    expect(await list('?LAST=700', 'grace')).toHaveLength(700);
    const { text } = await worker.ask('', { as: 'grace', headers: { accept: 'application/json' } });
    expect(JSON.parse(text).jobs).toHaveLength(1101);
  });

  test('is JSON on request, and XML for everybody else', async () => {
    const id = await worker.job('AUTO', 'user:heidi');
    const json = await worker.ask('', { as: 'heidi', headers: { accept: 'application/json' } });
    expect(json.headers.get('content-type')).toMatch(/^application\/json/);
    expect(JSON.parse(json.text)).toEqual({
      version: '1.1',
      jobs: [
        {
          id,
          href: `${worker.jobs}/${id}`,
          phase: 'QUEUED',
          runId: null,
          ownerId: 'heidi',
          creationTime: expect.stringMatching(/^\d{4}-.*Z$/),
          name: null,
          destination: 'local',
          type: null,
          state: 'ACCEPTED',
          offeredStart: expect.stringMatching(/^\d{4}-.*Z$/),
          startTime: null,
          endTime: null,
          executionDuration: 3600,
          resources: { cores: 1, memory: 1, scratch: 1 },
        },
      ],
    });
    expect(
      JSON.parse(
        (await worker.ask('', { as: 'nobody', headers: { accept: 'application/json' } })).text,
      ),
    ).toEqual({ version: '1.1', jobs: [] });
    for (const accept of ['*/*', 'application/xml,text/plain']) {
      expect(
        (await worker.ask('', { as: 'heidi', headers: { accept } })).headers.get('content-type'),
      ).toMatch(/^application\/xml/);
    }
  });

  test('answers HEAD, and refuses DELETE and PUT', async () => {
    expect(await worker.ask('', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
    for (const method of ['DELETE', 'PUT', 'PATCH']) {
      const answer = await worker.ask('', { method });
      expect([answer.status, answer.headers.get('allow')]).toEqual([
        405,
        'GET, HEAD, OPTIONS, POST',
      ]);
    }
  });
});

(hasSchema ? describe : describe.skip)(
  'the list as it is served, against UWS.xsd (skipped without ../shared/schemas)',
  () => {
    test('is valid', async () => {
      const problemsIn = openSchema();
      for (const as of ['carol', 'erin', 'nobody'])
        expect(problemsIn((await worker.ask('', { as })).text)).toBe('');
    });
  },
);

test('no answer was a server error', () => expect(worker.unexpected).toEqual([]));
