import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { hasSchema, openSchema } from '../clients/schema.ts';
import { openChecked, type Checked } from './client.ts';

let uws: Checked;
beforeAll(async () => {
  uws = await openChecked();
});
afterAll(() => uws.close());

function names(xml: string, parent: string): readonly string[] {
  const inner = new RegExp(`<uws:${parent}[ >][\\s\\S]*?</uws:${parent}>`).exec(xml)?.[0] ?? '';
  return [
    ...inner
      .replace(
        /<uws:(parameters|results|errorSummary|jobInfo)[\s>][\s\S]*?<\/uws:\1>/g,
        '<uws:$1/>',
      )
      .matchAll(/<uws:(\w+)/g),
  ]
    .map(([, name = '']) => name)
    .slice(1);
}

test('4.2 a jobref has phase, runId, ownerId and creationTime in this order, with id and xlink:href', async () => {
  const id = await uws.job('AUTO', 'user:alice');
  await uws.ask('', { form: `OFFER=${id}&RUNID=r`, as: 'alice' });
  const { text } = await uws.ask('', { as: 'alice' });
  expect(names(text, 'jobref')).toEqual(['phase', 'runId', 'ownerId', 'creationTime']);
  expect(text).toContain(`<uws:jobref id="${id}" xlink:type="simple" xlink:href="${uws.url(id)}">`);
});
test('4.2 a job has its elements in the order of the schema', async () => {
  const id = await uws.start(await uws.job());
  await uws.ask('', { form: `OFFER=${id}&RUNID=r` });
  await uws.executor.finish(id, 'FAILED', {
    code: 'task-failed',
    type: 'transient',
    message: 'm',
    detail: 'd',
  });
  expect(names((await uws.ask(`/${id}`)).text, 'job')).toEqual([
    'jobId',
    'runId',
    'ownerId',
    'phase',
    'quote',
    'creationTime',
    'startTime',
    'endTime',
    'executionDuration',
    'destruction',
    'parameters',
    'results',
    'errorSummary',
    'jobInfo',
  ]);
});
test('4.2 elements that may be nil are nil and not left out', async () => {
  const { text } = await uws.ask(`/${await uws.job()}`);
  for (const name of ['ownerId', 'startTime', 'endTime'])
    expect(text).toContain(`<uws:${name} xsi:nil="true"/>`);
  expect(text).not.toMatch(/<uws:executionDuration[^>]*nil/);
});
test('4.2 the version is on jobs and job and not on parameters and results', async () => {
  const id = await uws.job();
  expect((await uws.ask(`/${id}/parameters`)).text).not.toContain(' version="1.1"');
  expect((await uws.ask(`/${id}/results`)).text).not.toContain(' version="1.1"');
});
test('4.2 an error summary has type and hasDetail, a result size and mime type', async () => {
  const id = await uws.start(await uws.job());
  await uws.executor.advance(id, 'RELEASING');
  await uws.executor.finish(
    id,
    'FAILED',
    { code: 'task-failed', type: 'transient', message: 'm', detail: 'd' },
    [{ id: 'out', path: 'out', mimeType: 'text/csv', size: 2 ** 33 }],
  );
  const { text } = await uws.ask(`/${id}`);
  expect(text).toContain(
    '<uws:errorSummary type="transient" hasDetail="true"><uws:message>m</uws:message>',
  );
  expect(text).toContain(`mime-type="text/csv" size="${2 ** 33}"/>`);
});
test('4.2 times are UTC with T and Z', async () => {
  const { text } = await uws.ask(`/${await uws.complete(await uws.job())}`);
  for (const name of ['creationTime', 'startTime', 'endTime', 'destruction'])
    expect(text).toMatch(new RegExp(`<uws:${name}>\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z<`));
});
test('4.2 phases go PENDING, QUEUED, EXECUTING, COMPLETED, and ARCHIVED at destruction', async () => {
  const id = await uws.job('CLIENT');
  const seen = [await uws.phase(id)];
  await uws.ask(`/${id}/phase`, { form: 'PHASE=RUN' });
  seen.push(await uws.phase(id));
  await uws.start(id);
  seen.push(await uws.phase(id));
  await uws.executor.advance(id, 'RELEASING');
  await uws.executor.finish(id, 'COMPLETED');
  seen.push(await uws.phase(id));
  await uws.ask(`/${id}/destruction`, { form: 'DESTRUCTION=2015' });
  await uws.database.$queryRaw`SELECT archive_due_jobs(10)`;
  seen.push(await uws.phase(id));
  expect(seen).toEqual(['PENDING', 'QUEUED', 'EXECUTING', 'COMPLETED', 'ARCHIVED']);
});
test('4.2 ABORTED keeps the results made so far', async () => {
  const id = await uws.start(await uws.job());
  await uws.executor.finish(id, 'CANCELLED', null, [
    { id: 'part', path: 'part', mimeType: 'text/plain', size: 1 },
  ]);
  expect((await uws.ask(`/${id}`)).text).toContain('<uws:result id="part"');
});
test('4.2 creation takes urlencoded and multipart forms, with job control in body or query', async () => {
  const id = await uws.job('CLIENT');
  const form = new FormData();
  form.set('oFFer', id);
  form.set('runid', 'multi');
  const response = await fetch(`${uws.jobs}?phase=RUN`, {
    method: 'POST',
    body: form,
    redirect: 'manual',
  });
  expect([
    response.status,
    response.headers.get('location'),
    await uws.phase(id),
    await uws.element(id, 'runId'),
  ]).toEqual([303, uws.url(id), 'QUEUED', 'multi']);
});
test('4.2 creation sets EXECUTIONDURATION and DESTRUCTION in the same request', async () => {
  const id = await uws.job('CLIENT');
  await uws.ask('', { form: `OFFER=${id}&executionDuration=5&DESTRUCTION=9999-01-01` });
  expect([
    await uws.value(`/${id}/executionduration`),
    (await uws.value(`/${id}/destruction`)).slice(0, 4) < '9999',
  ]).toEqual(['5', true]);
});
test('4.2 inline content is given with param:<part>, shown by reference and served at /parameters/{name}', async () => {
  const id = await uws.job('CLIENT');
  const form = new FormData();
  form.set('OFFER', id);
  form.set('UPLOAD', 'mine,param:votable');
  form.set('votable', new Blob(['<VOTABLE/>'], { type: 'application/x-votable+xml' }), 'mine.vot');
  expect((await fetch(uws.jobs, { method: 'POST', body: form, redirect: 'manual' })).status).toBe(
    303,
  );
  const { text } = await uws.ask(`/${id}`);
  expect(text).toContain('<uws:parameter id="UPLOAD">mine,param:votable</uws:parameter>');
  expect(text).toContain(
    `<uws:parameter id="votable" byReference="true">${uws.url(id)}/parameters/votable</uws:parameter>`,
  );
  const content = await uws.ask(`/${id}/parameters/votable`);
  expect([
    content.headers.get('content-type'),
    content.headers.get('content-disposition'),
    content.text,
  ]).toEqual(['application/x-votable+xml', 'attachment', '<VOTABLE/>']);
});
test("4.2 a document becomes the job's parameter REQUEST, by reference", async () => {
  const { status, headers } = await uws.ask('', {
    form: 'task: {}',
    headers: { 'content-type': 'application/yaml' },
  });
  expect(status).toBe(303);
  expect((await uws.ask(headers.get('location') ?? '')).text).toMatch(
    /<uws:parameter id="REQUEST" byReference="true">[^<]*\/parameters\/REQUEST</,
  );
});
test('4.2 parameters of a job are 1 MiB at most', async () => {
  const id = await uws.job('CLIENT');
  const put = (name: string) =>
    uws.ask(`/${id}/parameters/${name}`, {
      method: 'PUT',
      form: 'x'.repeat(60_000),
      headers: { 'content-type': 'text/csv' },
    });
  const statuses: number[] = [];
  for (let n = 0; n < 20; n += 1) statuses.push((await put(`p${n}`)).status);
  expect([statuses[0], statuses.at(-1)]).toEqual([303, 413]);
});
test('4.2 jobInfo has session, destination, place in the queue and what the decision was', async () => {
  const [first, second] = [
    await uws.job('AUTO', 'user:queue'),
    await uws.job('AUTO', 'user:queue'),
  ];
  const position = async (id: string): Promise<number> =>
    Number(/<queuePosition>(\d+)</.exec((await uws.ask(`/${id}`, { as: 'queue' })).text)?.[1]);
  expect((await position(second)) - (await position(first))).toBe(1);
  await uws.start(first);
  const { text } = await uws.ask(`/${first}`, { as: 'queue' });
  expect(text).not.toContain('queuePosition');
  expect(text).toMatch(
    /<session xmlns="urn:x-planner:session"><state>RUNNING<\/state>.*<destination>local<.*<decision><asked>/,
  );
});
(hasSchema ? describe : describe.skip)(
  'against UWS.xsd (skipped without ../shared/schemas)',
  () => {
    test('4.2 the schema rejects common mistakes, so that they would be seen here', async () => {
      const problemsIn = openSchema();
      const { text } = await uws.ask(`/${await uws.job()}`);
      for (const [from, to] of [
        [/<uws:startTime[^>]*>/, ''],
        [/<uws:startTime[^>]*>/, '<uws:startTime/>'],
        [/<uws:executionDuration>\d+/, '<uws:executionDuration>2147483648'],
        [/<uws:results\/>/, ''],
      ] as const)
        expect(problemsIn(text.replace(from, to))).not.toBe('');
    });
  },
);
test('no answer was a server error', () => expect(uws.unexpected).toEqual([]));
