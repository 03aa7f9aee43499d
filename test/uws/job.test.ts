import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { load } from 'js-yaml';
import { hasSchema, openSchema } from './clients/schema.ts';
import { openWorker, type Worker } from './clients/worker.ts';

let worker: Worker;
beforeAll(async () => {
  worker = await openWorker();
});
afterAll(() => worker.close());

const children = [
  '',
  '/phase',
  '/executionduration',
  '/destruction',
  '/quote',
  '/owner',
  '/error',
  '/parameters',
  '/parameters/OFFER',
  '/results',
  '/results/stdout',
];
const failure = {
  code: 'task-failed',
  type: 'fatal',
  message: 'exit code 1',
  detail: 'Traceback <b>',
} as const;

describe('GET of a job', () => {
  test('shows it in XML, with the times and the phase of one instant', async () => {
    const id = await worker.complete(await worker.job('AUTO', 'user:alice'), [
      { id: 'stdout', path: 'stdout', mimeType: 'text/plain', size: 3 },
    ]);
    const { status, headers, text } = await worker.ask(`/${id}`, { as: 'alice' });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^application\/xml/);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(text).toContain(
      '<uws:ownerId>alice</uws:ownerId><uws:phase>COMPLETED</uws:phase><uws:quote xsi:nil="true"/>',
    );
    expect(text).toMatch(/<uws:startTime>\S+Z<\/uws:startTime><uws:endTime>\S+Z<\/uws:endTime>/);
    expect(text).toContain(
      '<uws:result id="stdout" xlink:type="simple" ' +
        `xlink:href="${worker.jobs}/${id}/results/stdout" mime-type="text/plain" size="3"/>`,
    );
    expect(text).toContain(
      `<offer>${worker.root}/offers/${id}</offer><destination>local</destination>`,
    );
    expect((await worker.ask(`${worker.root}/async/${id}`, { as: 'alice' })).text).toContain(
      `${worker.root}/async/${id}/results/stdout`,
    );
  });

  test('shows the same in JSON on request', async () => {
    const id = await worker.job();
    const { headers, text } = await worker.ask(`/${id}`, {
      headers: { accept: 'application/json' },
    });
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(JSON.parse(text)).toMatchObject({
      version: '1.1',
      jobId: id,
      ownerId: null,
      phase: 'QUEUED',
      executionDuration: 3600,
      startTime: null,
      results: [],
      errorSummary: null,
      jobInfo: { session: { state: 'ACCEPTED', destination: 'local' } },
    });
  });

  test('has an end time and an error summary when it was aborted before it started', async () => {
    const id = await worker.job('CLIENT');
    await worker.ask(`/${id}/phase`, { form: 'PHASE=ABORT' });
    const { text } = await worker.ask(`/${id}`);
    expect(text).toMatch(/<uws:startTime xsi:nil="true"\/><uws:endTime>\S+Z<\/uws:endTime>/);
    expect(text).toContain(
      '<uws:errorSummary type="fatal" hasDetail="false"><uws:message>The job was aborted by its owner.</uws:message>',
    );
  });

  test('is 404 for an unknown job, for every resource and verb', async () => {
    for (const id of ['00000000-0000-7000-8000-000000000000', 'nonsense', '%00', "'--"]) {
      for (const child of children) {
        expect(await worker.ask(`/${id}${child}`)).toMatchObject({
          status: 404,
          text: expect.stringMatching(/^job-unknown: There is no job /),
        });
      }
      expect((await worker.ask(`/${id}`, { method: 'DELETE' })).status).toBe(404);
      expect((await worker.ask(`/${id}/phase`, { form: 'PHASE=RUN' })).status).toBe(404);
    }
  });

  test('is 403 for a job of another user, for every resource and verb, and changes nothing', async () => {
    const id = await worker.job('CLIENT', 'user:alice');
    for (const as of ['mallory', undefined]) {
      const who = as === undefined ? {} : { as };
      for (const child of children) {
        expect(await worker.ask(`/${id}${child}`, who)).toMatchObject({
          status: 403,
          text: `not-your-job: Job ${id} belongs to another user.\n`,
        });
      }
      const posts = [
        ['', 'ACTION=DELETE'],
        ['', 'PHASE=ABORT'],
        ['/phase', 'PHASE=RUN'],
        ['/phase', 'PHASE=ABORT'],
        ['/parameters', 'A=b'],
        ['/executionduration', 'EXECUTIONDURATION=1'],
        ['/destruction', 'DESTRUCTION=2026'],
      ];
      for (const [child, form = ''] of posts)
        expect((await worker.ask(`/${id}${child}`, { ...who, form })).status).toBe(403);
      expect((await worker.ask(`/${id}`, { ...who, method: 'DELETE' })).status).toBe(403);
    }
    expect(await worker.phase(id, 'alice')).toBe('PENDING');
  });

  test('answers HEAD without a body, at once even with WAIT', async () => {
    const id = await worker.job();
    for (const child of ['', '?WAIT=-1', '/phase', '/results', '/quote']) {
      expect(await worker.ask(`/${id}${child}`, { method: 'HEAD' })).toMatchObject({
        status: 200,
        text: '',
      });
    }
  });

  test('names the allowed methods when another one is used', async () => {
    const id = await worker.job();
    const refused = [
      ['', 'PUT', 'DELETE, GET, HEAD, OPTIONS, POST'],
      ['/phase', 'DELETE', 'GET, HEAD, OPTIONS, POST'],
      ['/results', 'POST', 'GET, HEAD, OPTIONS'],
      ['/results/stdout', 'DELETE', 'GET, HEAD, OPTIONS'],
      ['/quote', 'POST', 'GET, HEAD, OPTIONS'],
      ['/parameters/X', 'DELETE', 'GET, HEAD, OPTIONS, PUT'],
    ] as const;
    for (const [child, method, allowed] of refused) {
      const { status, headers } = await worker.ask(`/${id}${child}`, { method });
      expect([status, headers.get('allow')]).toEqual([405, allowed]);
    }
  });

  test('takes names in lower case only, and unknown ones are 404', async () => {
    const id = await worker.job();
    for (const child of [
      '/executionDuration',
      '/Phase',
      '/nothing',
      '/phase/more',
      '/parameters/NONE',
      '/results/none',
      '/%ff',
    ]) {
      expect((await worker.ask(`/${id}${child}`)).status).toBe(404);
    }
  });
});

describe('the id of a job', () => {
  test('is the same in upper case, as at offers', async () => {
    const id = (await worker.job()).toUpperCase();
    expect((await worker.ask(`/${id}/parameters/OFFER`)).text).toBe(id.toLowerCase());
    const again = await worker.ask('', { form: `OFFER=${id}` });
    expect([again.status, again.headers.get('location')?.endsWith(id.toLowerCase())]).toEqual([
      303,
      true,
    ]);
  });
});

describe('the parts of a job', () => {
  test('are plain words, empty where there is nothing to say', async () => {
    const id = await worker.job('AUTO', 'user:alice');
    const part = async (name: string): Promise<string> => {
      const { status, headers, text } = await worker.ask(`/${id}/${name}`, { as: 'alice' });
      expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
      return text;
    };
    expect(await part('phase')).toBe('QUEUED');
    expect(await part('executionduration')).toBe('3600');
    expect(await part('destruction')).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(await part('quote')).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(await part('owner')).toBe('alice');
    expect(await part('parameters/OFFER')).toBe(id);
    await worker.complete(id);
    expect(await part('quote')).toBe('');
  });

  test('have no owner when the job was made without a credential', async () => {
    expect((await worker.ask(`/${await worker.job()}/owner`)).status).toBe(404);
  });

  test('show the task description as YAML', async () => {
    const { headers, text } = await worker.ask(`/${await worker.job()}/parameters/REQUEST`);
    expect(headers.get('content-type')).toMatch(/^application\/yaml/);
    expect(load(text)).toEqual({
      task: { type: 'uri:executable', spec: { command: ['echo', 'é'] } },
    });
  });

  test('show the error of a job that has one, and 404 for others', async () => {
    const id = await worker.start(await worker.job());
    expect((await worker.ask(`/${id}/error`)).status).toBe(404);
    await worker.executor.finish(id, 'FAILED', failure);
    expect(await worker.ask(`/${id}/error`)).toMatchObject({
      status: 200,
      text: 'task-failed: exit code 1\n\nTraceback <b>\n',
    });
    expect((await worker.ask(`/${id}/error`)).headers.get('content-type')).toBe(
      'text/plain; charset=utf-8',
    );
    expect(await worker.phase(id)).toBe('ERROR');
  });

  test('are kept when the job is archived, but for its results', async () => {
    const id = await worker.complete(await worker.job(), [
      { id: 'stdout', path: 'stdout', mimeType: 'text/plain', size: 3 },
    ]);
    await worker.ask(`/${id}/destruction`, { form: 'DESTRUCTION=2015' });
    await worker.database.$queryRaw`SELECT archive_due_jobs(10)`;
    const { status, text } = await worker.ask(`/${id}`);
    expect(status).toBe(200);
    expect(text).toContain('<uws:phase>ARCHIVED</uws:phase>');
    expect(text).toContain('<uws:results/>');
  });
});

(hasSchema ? describe : describe.skip)(
  'jobs as they are served, against UWS.xsd (skipped without ../shared/schemas)',
  () => {
    test('every XML document of every state is valid', async () => {
      const problemsIn = openSchema();
      const failed = await worker.start(await worker.job());
      await worker.executor.finish(failed, 'FAILED', failure);
      const jobs = [
        await worker.job('CLIENT'),
        await worker.job(),
        await worker.start(await worker.job()),
        failed,
        await worker.complete(await worker.job(), [
          { id: 'a b', path: 'a b', mimeType: 'text/plain; charset=utf-8', size: 0 },
        ]),
      ];
      for (const id of jobs) {
        for (const child of ['', '/parameters', '/results'])
          expect(problemsIn((await worker.ask(`/${id}${child}`)).text)).toBe('');
      }
    });
  },
);

test('no answer was a server error', () => expect(worker.unexpected).toEqual([]));
