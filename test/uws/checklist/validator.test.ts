import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PHASES } from '../../../src/uws/phases.ts';
import { until } from '../clients/worker.ts';
import { openChecked, type Checked } from './client.ts';

/*
 * What the public uws-validator checks, in its order, as a client that
 * knows nothing but the job list.
 */

let uws: Checked;
beforeAll(async () => {
  uws = await openChecked();
});
afterAll(() => uws.close());

function phaseIn(text: string): string | undefined {
  return /<uws:phase>(\w+)</.exec(text)?.[1];
}
/** Creates a job as the validator does: a POST, and the redirect followed. */
async function create(form = ''): Promise<{ id: string; text: string }> {
  const id = await uws.job('CLIENT');
  const { headers } = await uws.ask('', { form: `OFFER=${id}${form}` });
  const { text } = await uws.ask(headers.get('location') ?? '');
  return { id: /<uws:jobId>([^<]+)</.exec(text)?.[1] ?? '', text };
}
async function running() {
  return uws.start(await uws.job());
}

describe('uws-validator, basics', () => {
  test('the base URL is 200', async () => expect((await uws.ask('')).status).toBe(200));
  test('a new job is PENDING, with jobId, ownerId, executionDuration and version 1.1', async () => {
    const { text } = await create();
    expect(phaseIn(text)).toBe('PENDING');
    for (const part of ['<uws:jobId>', '<uws:ownerId', '<uws:executionDuration>', 'version="1.1"'])
      expect(text).toContain(part);
  });
  test('a deleted job leads to the list, and is 404 then', async () => {
    const { id } = await create();
    await uws.goesTo(uws.jobs, `/${id}`, { method: 'DELETE' });
    expect((await uws.ask(`/${id}`)).status).toBe(404);
  });
  test('an aborted job is ABORTED with an end time', async () => {
    const { id } = await create();
    await uws.ask(`/${id}/phase`, { form: 'PHASE=ABORT' });
    expect([await uws.element(id, 'phase'), typeof (await uws.element(id, 'endTime'))]).toEqual([
      'ABORTED',
      'string',
    ]);
  });
  test('a started job is on its way, also when it is created and run in one request', async () => {
    const { id } = await create();
    await uws.ask(`/${id}/phase`, { form: 'PHASE=RUN' });
    expect(['QUEUED', 'EXECUTING', 'COMPLETED']).toContain(await uws.element(id, 'phase'));
    expect(['QUEUED', 'EXECUTING', 'COMPLETED']).toContain(
      phaseIn((await create('&PHASE=RUN')).text),
    );
  });
  test('a job that fails is ERROR with start and end time', async () => {
    const id = await running();
    await uws.executor.finish(id, 'FAILED', {
      code: 'task-failed',
      type: 'fatal',
      message: 'm',
      detail: '',
    });
    const { text } = await uws.ask(`/${id}`);
    expect([phaseIn(text), /<uws:startTime>\d/.test(text), /<uws:endTime>\d/.test(text)]).toEqual([
      'ERROR',
      true,
      true,
    ]);
  });
});

describe('uws-validator, WAIT', () => {
  test.each(['', '&PHASE=COMPLETED', '&PHASE=EXECUTING'])(
    'in a final phase WAIT=30%s is answered at once',
    async (phase) => {
      const id = await uws.complete(await uws.job());
      expect(phaseIn(await uws.value(`/${id}?WAIT=30${phase}`))).toBe('COMPLETED');
    },
  );
  test.each(['PENDING', 'QUEUED', 'EXECUTING'])(
    'in phase %s WAIT=1 takes a second without a change, and no time when PHASE is another one',
    async (phase) => {
      const id =
        phase === 'EXECUTING'
          ? await running()
          : await uws.job(phase === 'PENDING' ? 'CLIENT' : 'AUTO');
      const answer = uws.ask(`/${id}?WAIT=1&PHASE=${phase}`);
      await until(() => uws.waiters.size() === 1);
      expect(phaseIn(await uws.value(`/${id}?WAIT=30&PHASE=SUSPENDED`))).toBe(phase);
      expect(uws.waiters.size()).toBe(1);
      expect(phaseIn((await answer).text)).toBe(phase);
    },
  );
  test('a change ends it early, also with WAIT=-1', async () => {
    const id = await uws.job();
    const answers = [
      uws.ask(`/${id}?WAIT=50`),
      uws.ask(`/${id}?WAIT=-1`),
      uws.ask(`/${id}?WAIT=50&PHASE=QUEUED`),
    ];
    await until(() => uws.waiters.size() === 3);
    await uws.start(id);
    for (const answer of answers) expect(phaseIn((await answer).text)).toBe('EXECUTING');
  });
});

describe('uws-validator, filters', () => {
  test('work for every phase, and for unions of two and three', async () => {
    await create();
    await running();
    for (const phase of PHASES) {
      const { text } = await uws.ask(`?PHASE=${phase}`);
      for (const [, found] of text.matchAll(/<uws:phase>(\w+)</g)) expect(found).toBe(phase);
    }
    const count = async (query: string): Promise<number> => (await uws.ids(query)).length;
    const [one, two, three] = [
      await count('?PHASE=PENDING'),
      await count('?PHASE=EXECUTING'),
      await count('?PHASE=COMPLETED'),
    ];
    expect(one * two * three).toBeGreaterThan(0);
    expect(await count('?PHASE=PENDING&PHASE=EXECUTING')).toBe(one + two);
    expect(await count('?PHASE=PENDING&PHASE=EXECUTING&PHASE=COMPLETED')).toBe(one + two + three);
  });
  test.each([
    'PHASE=pendinggg',
    'PHASE=1345',
    'LAST=-1',
    'LAST=text',
    'AFTER=2015-26-10',
    'AFTER=sometext',
    'AFTER=2015-10-26T09:15:35%2B01:00',
  ])('%s is not 200', async (query) => {
    expect((await uws.ask(`?${query}`)).status).toBe(400);
  });
  test('LAST gives the newest first, and combines with the others', async () => {
    const { text } = await uws.ask('');
    const times = [...text.matchAll(/<uws:creationTime>([^<]+)</g)].map(([, time = '']) => time);
    expect(times).toEqual(times.toSorted().reverse());
    expect(await uws.ids('?LAST=2')).toEqual((await uws.ids('')).slice(0, 2));
    expect(await uws.ids(`?LAST=1&PHASE=PENDING&AFTER=2015`)).toEqual(
      (await uws.ids('?PHASE=PENDING')).slice(0, 1),
    );
    expect(await uws.ids(`?AFTER=${times[0]}`)).toEqual([]);
  });
});
test('no answer was a server error', () => expect(uws.unexpected).toEqual([]));
