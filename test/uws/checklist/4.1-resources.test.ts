import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openChecked, type Checked } from './client.ts';

let uws: Checked;
beforeAll(async () => {
  uws = await openChecked();
});
afterAll(() => uws.close());

async function status(target: string, init: Parameters<Checked['ask']>[1] = {}): Promise<number> {
  return (await uws.ask(target, init)).status;
}
const failure = { code: 'task-failed', type: 'fatal', message: 'exit 1', detail: '' } as const;

test('4.1 GET of the list is 200 uws:jobs with version 1.1', async () => {
  const { status: code, text } = await uws.ask('');
  expect([code, /<uws:jobs version="1\.1"/.test(text)]).toEqual([200, true]);
});
test('4.1 POST to the list creates: 303 with Location of the job', async () => {
  const id = await uws.job('CLIENT');
  await uws.goesTo(uws.url(id), '', { form: `OFFER=${id}` });
  expect(await status(`/${id}`)).toBe(200);
});
test('4.1 POST to the list that is rejected is 403', async () => {
  expect(await status('', { form: `OFFER=${await uws.offer()}` })).toBe(403);
});
test('4.1 DELETE of the list is 405', async () => {
  expect(await status('', { method: 'DELETE' })).toBe(405);
});
test('4.1 GET of a job is 200 uws:job with version 1.1, also of a failed one', async () => {
  const id = await uws.start(await uws.job());
  await uws.executor.finish(id, 'FAILED', failure);
  const { status: code, text } = await uws.ask(`/${id}`);
  expect([
    code,
    text.includes('<uws:job version="1.1"'),
    text.includes('<uws:phase>ERROR<'),
  ]).toEqual([200, true, true]);
});
test('4.1 GET of a job takes WAIT and PHASE', async () => {
  const id = await uws.job();
  expect((await uws.ask(`/${id}?WAIT=1&PHASE=EXECUTING`)).text).toContain('<uws:phase>QUEUED<');
});
test('4.1 POST ACTION=DELETE to a job destroys it: 303 to the list', async () => {
  const id = await uws.job();
  await uws.goesTo(uws.jobs, `/${id}`, { form: 'ACTION=DELETE' });
  expect(await status(`/${id}`)).toBe(404);
});
test('4.1 POST of parameters to a job sets them while it is PENDING', async () => {
  const id = await uws.job('CLIENT');
  await uws.goesTo(uws.url(id), `/${id}`, { form: 'RUNID=tonight&Note=a%26b' });
  expect([
    await uws.value(`/${id}/parameters/RUNID`),
    await uws.value(`/${id}/parameters/note`),
  ]).toEqual(['tonight', 'a&b']);
});
test('4.1 DELETE of a job is 303 to the list', async () => {
  const id = await uws.job();
  await uws.goesTo(uws.jobs, `/${id}`, { method: 'DELETE' });
  expect(await status(`/${id}`)).toBe(404);
});
test('4.1 /phase is one of the ten words as text/plain', async () => {
  const { headers, text } = await uws.ask(`/${await uws.job('CLIENT')}/phase`);
  expect([headers.get('content-type'), text]).toEqual(['text/plain; charset=utf-8', 'PENDING']);
});
test('4.1 POST PHASE=RUN and PHASE=ABORT to /phase are 303 to the job', async () => {
  const id = await uws.job('CLIENT');
  await uws.goesTo(uws.url(id), `/${id}/phase`, { form: 'PHASE=RUN' });
  expect(await uws.phase(id)).toBe('QUEUED');
  await uws.goesTo(uws.url(id), `/${id}/phase`, { form: 'PHASE=ABORT' });
  expect(await uws.phase(id)).toBe('ABORTED');
});
test('4.1 /executionduration is integer seconds, and a POST is 303 to the job', async () => {
  const id = await uws.job();
  expect(await uws.value(`/${id}/executionduration`)).toMatch(/^\d+$/);
  await uws.goesTo(uws.url(id), `/${id}/executionduration`, { form: 'EXECUTIONDURATION=77' });
  expect(await uws.value(`/${id}/executionduration`)).toBe('77');
});
test('4.1 /destruction is a time with Z, and a POST is 303 to the job', async () => {
  const id = await uws.job();
  const soon = new Date(Date.now() + 60_000).toISOString();
  await uws.goesTo(uws.url(id), `/${id}/destruction`, { form: `DESTRUCTION=${soon}` });
  expect(await uws.value(`/${id}/destruction`)).toBe(soon);
});
test('4.1 /quote is a time, or empty text when it is not known', async () => {
  const id = await uws.job();
  expect(await uws.value(`/${id}/quote`)).toMatch(/^\d{4}-.*Z$/);
  await uws.complete(id);
  const { status: code, headers, text } = await uws.ask(`/${id}/quote`);
  expect([code, headers.get('content-type'), text]).toEqual([200, 'text/plain; charset=utf-8', '']);
});
test('4.1 /error is 404 when the job has not failed and 200 when it has', async () => {
  const id = await uws.start(await uws.job());
  expect(await status(`/${id}/error`)).toBe(404);
  await uws.executor.finish(id, 'FAILED', failure);
  expect(await status(`/${id}/error`)).toBe(200);
});
test('4.1 /owner exists only when somebody is authenticated', async () => {
  const mine = await uws.job('AUTO', 'user:alice');
  expect((await uws.ask(`/${mine}/owner`, { as: 'alice' })).text).toBe('alice');
  expect(await status(`/${await uws.job()}/owner`)).toBe(404);
});
test('4.1 /parameters is uws:parameters; a POST while PENDING is 303 to the job, afterwards 403', async () => {
  const id = await uws.job('CLIENT');
  expect((await uws.ask(`/${id}/parameters`)).text).toContain('<uws:parameters ');
  await uws.goesTo(uws.url(id), `/${id}/parameters`, {
    form: 'QUERY=select+1&EXECUTIONDURATION=9',
  });
  await uws.goesTo(uws.url(id), `/${id}/parameters`, { form: 'query=select+2' });
  expect((await uws.ask(`/${id}/parameters`)).text).toContain(
    '<uws:parameter id="query">select 2</uws:parameter>',
  );
  expect(await uws.value(`/${id}/executionduration`)).toBe('9');
  await uws.ask(`/${id}/phase`, { form: 'PHASE=RUN' });
  expect(await status(`/${id}/parameters`, { form: 'QUERY=x' })).toBe(403);
  expect(await status(`/${id}/parameters`, { form: 'RUNID=x' })).toBe(403);
  expect(await uws.value(`/${id}/parameters/query`)).toBe('select 2');
});
test('4.1 the promises of the offer are no parameters that could be set', async () => {
  const id = await uws.job('CLIENT');
  for (const form of ['OFFER=x', 'REQUEST=x'])
    expect(await status(`/${id}/parameters`, { form })).toBe(403);
  expect(await status(`/${id}/parameters`, { form: '' })).toBe(400);
});
test('4.1 PUT of a parameter sets its content while PENDING, and GET gives it back', async () => {
  const id = await uws.job('CLIENT');
  await uws.goesTo(uws.url(id), `/${id}/parameters/table`, {
    method: 'PUT',
    form: 'a,b\n1,2',
    headers: { 'content-type': 'text/csv' },
  });
  const { headers, text } = await uws.ask(`/${id}/parameters/table`);
  expect([headers.get('content-type'), headers.get('x-content-type-options'), text]).toEqual([
    'text/csv',
    'nosniff',
    'a,b\n1,2',
  ]);
  expect((await uws.ask(`/${id}/parameters`)).text).toContain(
    `<uws:parameter id="table" byReference="true">${uws.url(id)}/parameters/table<`,
  );
  await uws.ask(`/${id}/phase`, { form: 'PHASE=RUN' });
  expect(
    await status(`/${id}/parameters/table`, {
      method: 'PUT',
      form: 'x',
      headers: { 'content-type': 'text/csv' },
    }),
  ).toBe(403);
});
test('4.1 /results is 200 also when it is empty, and takes nothing', async () => {
  const id = await uws.job();
  expect((await uws.ask(`/${id}/results`)).text).toContain('<uws:results ');
  expect(await status(`/${id}/results`, { form: 'a=b' })).toBe(405);
  expect(await status(`/${id}/results/x`, { method: 'DELETE' })).toBe(405);
});
test('4.1 a result can be fetched', async () => {
  const id = await uws.job();
  await mkdir(join(uws.resultsRoot, id));
  await writeFile(join(uws.resultsRoot, id, 'out'), 'data');
  await uws.complete(id, [{ id: 'out', path: 'out', mimeType: 'text/plain', size: 4 }]);
  expect(await uws.value(`/${id}/results/out`)).toBe('data');
});
test('4.1 codes: 404 for the unknown, 403 for jobs of others and for what the state forbids', async () => {
  const id = await uws.job('AUTO', 'user:alice');
  expect(await status('/nonsense')).toBe(404);
  expect(await status(`/${id}/nothing`, { as: 'alice' })).toBe(404);
  expect(await status(`/${id}`, { as: 'bob' })).toBe(403);
  await uws.complete(id);
  expect(await status(`/${id}/phase`, { form: 'PHASE=ABORT', as: 'alice' })).toBe(403);
});
test('4.1 XML is the default and wins for Accept: application/xml,text/plain; HTML and JSON on request', async () => {
  const id = await uws.job();
  const type = async (accept: string, target = `/${id}`): Promise<string | undefined> =>
    (await uws.ask(target, { headers: { accept } })).headers.get('content-type')?.split(';')[0];
  for (const target of ['', `/${id}`, `/${id}/results`, `/${id}/parameters`]) {
    for (const accept of [
      '*/*',
      'application/xml,text/plain',
      'text/xml',
      'image/png',
      'text/html;q=0.5,*/*',
    ])
      expect([target, accept, await type(accept, target)]).toEqual([
        target,
        accept,
        'application/xml',
      ]);
    expect(await type('application/json', target)).toBe('application/json');
    expect(
      await type('text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', target),
    ).toBe('text/html');
  }
});
test('4.1 names of the resources are lower case', async () => {
  expect(await status(`/${await uws.job()}/executionDuration`)).toBe(404);
});
test('no answer was a server error', () => expect(uws.unexpected).toEqual([]));
