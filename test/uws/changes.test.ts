import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openWorker, until, type Worker } from './clients/worker.ts';

let worker: Worker;
beforeAll(async () => {
  worker = await openWorker();
});
afterAll(() => worker.close());

async function redirectsTo(place: string, answer: ReturnType<Worker['ask']>): Promise<void> {
  const { status, headers } = await answer;
  expect([status, headers.get('location')]).toEqual([303, place]);
}
function refusal(status: number, text: RegExp) {
  return { status, text: expect.stringMatching(text) };
}
async function part(id: string, name: string): Promise<string> {
  return (await worker.ask(`/${id}/${name}`)).text;
}

describe('PHASE=RUN', () => {
  test('starts a job that waits for its client', async () => {
    const id = await worker.job('CLIENT');
    await redirectsTo(`${worker.jobs}/${id}`, worker.ask(`/${id}/phase`, { form: 'PHASE=RUN' }));
    expect(await worker.phase(id)).toBe('QUEUED');
  });

  test('succeeds for a job that is on its way, so a client need not know who starts it', async () => {
    const queued = await worker.job('AUTO');
    await redirectsTo(
      `${worker.jobs}/${queued}`,
      worker.ask(`/${queued}/phase`, { form: 'PHASE=RUN' }),
    );
    expect(await worker.phase(queued)).toBe('QUEUED');
    await worker.start(queued);
    await redirectsTo(
      `${worker.jobs}/${queued}`,
      worker.ask(`/${queued}/phase`, { form: 'PHASE=RUN' }),
    );
    expect(await worker.phase(queued)).toBe('EXECUTING');
    await worker.executor.advance(queued, 'RELEASING');
    await worker.executor.finish(queued, 'COMPLETED');
    await redirectsTo(
      `${worker.jobs}/${queued}`,
      worker.ask(`/${queued}/phase`, { form: 'PHASE=RUN' }),
    );
    expect(await worker.phase(queued)).toBe('COMPLETED');
  });

  test('is refused for a job that its client started and that is over, with its phase', async () => {
    const id = await worker.job('CLIENT');
    await worker.ask(`/${id}/phase`, { form: 'PHASE=RUN' });
    const done = await worker.complete(id);
    expect(await worker.ask(`/${done}/phase`, { form: 'PHASE=RUN' })).toMatchObject(
      refusal(
        403,
        new RegExp(
          `^job-state-conflict: Job ${done} is COMPLETED: it has ended and cannot run again`,
        ),
      ),
    );
  });

  test('is refused for a job that was aborted or archived, whoever starts it', async () => {
    const aborted = await worker.job('AUTO');
    await worker.ask(`/${aborted}/phase`, { form: 'PHASE=ABORT' });
    const archived = await worker.complete(await worker.job('AUTO'));
    await worker.database.job.update({ where: { id: archived }, data: { archivedAt: new Date() } });
    for (const [id, phase] of [
      [aborted, 'ABORTED'],
      [archived, 'ARCHIVED'],
    ])
      expect(await worker.ask(`/${id}/phase`, { form: 'PHASE=RUN' })).toMatchObject(
        refusal(403, new RegExp(`^job-state-conflict: Job ${id} is ${phase}: it has ended`)),
      );
  });

  test('is refused once its time to start is over, also before the sweeper has seen that', async () => {
    const id = await worker.job('CLIENT');
    const startBefore = new Date(Date.now() - 1000);
    await worker.database.job.update({ where: { id }, data: { startBefore } });
    expect(await worker.ask(`/${id}/phase`, { form: 'PHASE=RUN' })).toMatchObject(
      refusal(403, /^job-state-conflict: Job \S+ is PENDING: its time to start is over/),
    );
  });

  test('starts the job once, however many clients send it at the same time', async () => {
    const id = await worker.job('CLIENT');
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => worker.ask(`/${id}/phase`, { form: 'PHASE=RUN' })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([303]));
    const [sent] = await worker.database.$queryRaw<{ count: number }[]>`
      SELECT count(*)::int AS count FROM graphile_worker.jobs WHERE task_identifier = 'execute'
      AND key = ${`execute:${id}`}`;
    expect(sent?.count).toBe(1);
  });
});

describe('PHASE=ABORT', () => {
  test('ends a job that has not started, any number of times', async () => {
    for (const mode of ['CLIENT', 'AUTO'] as const) {
      const id = await worker.job(mode);
      for (let again = 0; again < 2; again += 1) {
        await redirectsTo(
          `${worker.jobs}/${id}`,
          worker.ask(`/${id}/phase`, { form: 'PHASE=ABORT' }),
        );
        expect(await worker.phase(id)).toBe('ABORTED');
      }
    }
  });

  test('of a running job redirects once the executor has stopped it, so that the next GET shows ABORTED', async () => {
    const id = await worker.start(await worker.job());
    const answer = worker.ask(`/${id}/phase`, { form: 'PHASE=ABORT' });
    await until(() => worker.waiters.size() > 0);
    await worker.executor.finish(id, 'CANCELLED');
    await redirectsTo(`${worker.jobs}/${id}`, answer);
    expect(await worker.phase(id)).toBe('ABORTED');
  });

  test('of a running job redirects even when the executor does not answer', async () => {
    const id = await worker.start(await worker.job());
    await redirectsTo(`${worker.jobs}/${id}`, worker.ask(`/${id}/phase`, { form: 'PHASE=ABORT' }));
    expect(await worker.phase(id)).toBe('EXECUTING');
    expect((await worker.database.job.findUniqueOrThrow({ where: { id } })).abortAt).not.toBeNull();
  });

  test('is refused for a job that has ended by itself, and leaves it as it is', async () => {
    const id = await worker.complete(await worker.job());
    expect(await worker.ask(`/${id}/phase`, { form: 'PHASE=ABORT' })).toMatchObject(
      refusal(403, /^job-state-conflict: Job \S+ is COMPLETED: it has ended/),
    );
    expect(await worker.phase(id)).toBe('COMPLETED');
  });
});

describe('a POST to /phase', () => {
  test.each([
    ['', /^parameter-invalid: PHASE is missing; it must be RUN or ABORT/],
    ['PHASE=run', /^parameter-invalid: PHASE is "run"/],
    ['PHASE=COMPLETED', /^parameter-invalid: PHASE is "COMPLETED"/],
    ['PHASE=RUN&PHASE=ABORT', /given 2 times/],
  ])('with %p is refused', async (form, text) => {
    const id = await worker.job('CLIENT');
    expect(await worker.ask(`/${id}/phase`, { form })).toMatchObject(refusal(400, text));
    expect(await worker.phase(id)).toBe('PENDING');
  });
});

describe('EXECUTIONDURATION', () => {
  test.each([
    ['60', '60'],
    ['0', '3600'],
    ['3600', '3600'],
    ['86400', '3600'],
    ['99999999999', '3600'],
  ])(
    '%s becomes %s seconds of the 3600 that were offered, also after it was shortened',
    async (asked, given) => {
      const id = await worker.job();
      for (const value of ['30', asked]) {
        await redirectsTo(
          `${worker.jobs}/${id}`,
          worker.ask(`/${id}/executionduration`, { form: `EXECUTIONDURATION=${value}` }),
        );
      }
      expect(await part(id, 'executionduration')).toBe(given);
      expect((await worker.ask(`/${id}`)).text).toContain(
        `<uws:executionDuration>${given}</uws:executionDuration>`,
      );
    },
  );

  test.each([
    '',
    'EXECUTIONDURATION=',
    'EXECUTIONDURATION=-1',
    'EXECUTIONDURATION=1.5',
    'EXECUTIONDURATION=long',
  ])('%p is refused', async (form) => {
    const id = await worker.job();
    expect(await worker.ask(`/${id}/executionduration`, { form })).toMatchObject(
      refusal(400, /^parameter-invalid: EXECUTIONDURATION is /),
    );
    expect(await part(id, 'executionduration')).toBe('3600');
  });

  test('cannot be changed once the engine has the job', async () => {
    const id = await worker.start(await worker.job());
    expect(
      await worker.ask(`/${id}/executionduration`, { form: 'EXECUTIONDURATION=1' }),
    ).toMatchObject(refusal(403, /is EXECUTING: its execution duration can no longer change/));
    expect(await part(id, 'executionduration')).toBe('3600');
  });
});

describe('DESTRUCTION', () => {
  test('is taken in any form of a UTC time, earlier or later than it was', async () => {
    const id = await worker.job();
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
    for (const text of [
      tomorrow,
      tomorrow.replace('Z', ''),
      tomorrow.replace(/\.\d+Z/, '.000000Z'),
      tomorrow.slice(0, 10),
    ]) {
      await redirectsTo(
        `${worker.jobs}/${id}`,
        worker.ask(`/${id}/destruction`, { form: `DESTRUCTION=${text}` }),
      );
      expect((await part(id, 'destruction')).slice(0, 10)).toBe(tomorrow.slice(0, 10));
    }
  });

  test('is no later than the site keeps results', async () => {
    const id = await worker.job();
    await worker.ask(`/${id}/destruction`, { form: 'DESTRUCTION=9999-12-31T00:00:00Z' });
    const {
      createdAt,
      offer: { startsAt },
    } = await worker.database.job.findUniqueOrThrow({ where: { id }, include: { offer: true } });
    const latest = Math.max(createdAt.getTime(), startsAt.getTime()) + (3600 + 30 * 86_400) * 1000;
    expect(Date.parse(await part(id, 'destruction'))).toBe(latest);
  });

  test.each([
    '',
    'DESTRUCTION=',
    'DESTRUCTION=next+tuesday',
    'DESTRUCTION=2026-08-17T10:00:00%2B02:00',
  ])('%p is refused', async (form) => {
    expect(await worker.ask(`/${await worker.job()}/destruction`, { form })).toMatchObject(
      refusal(400, /^parameter-invalid: DESTRUCTION is /),
    );
  });

  test('cannot be postponed once the results are gone', async () => {
    const id = await worker.complete(await worker.job());
    await worker.ask(`/${id}/destruction`, { form: 'DESTRUCTION=2015' });
    await worker.database.$queryRaw`SELECT archive_due_jobs(10)`;
    expect(await worker.ask(`/${id}/destruction`, { form: 'DESTRUCTION=2999' })).toMatchObject(
      refusal(403, /is ARCHIVED: its results are already removed/),
    );
  });
});

describe('destroying a job', () => {
  test.each([
    ['DELETE', { method: 'DELETE' }],
    ['ACTION=DELETE in a form', { form: 'action=DELETE' }],
  ] as const)('%s stops and forgets it', async (_name, init) => {
    const queued = await worker.job('AUTO', 'user:alice');
    await redirectsTo(worker.jobs, worker.ask(`/${queued}`, { ...init, as: 'alice' }));
    expect((await worker.ask(`/${queued}`, { as: 'alice' })).status).toBe(404);
    expect((await worker.ask(`/${queued}`, { ...init, as: 'alice' })).status).toBe(404);
    expect((await worker.ask('', { as: 'alice' })).text).not.toContain(queued);
    expect((await worker.database.offer.findUniqueOrThrow({ where: { id: queued } })).state).toBe(
      'CANCELLED',
    );
    expect(await worker.ask('', { form: `OFFER=${queued}`, as: 'alice' })).toMatchObject(
      refusal(403, /^job-state-conflict: The job of offer \S+ was destroyed/),
    );
  });

  test('stops one that runs through its executor', async () => {
    const id = await worker.start(await worker.job());
    await redirectsTo(worker.jobs, worker.ask(`/${id}`, { method: 'DELETE' }));
    expect((await worker.ask(`/${id}`)).status).toBe(404);
    expect((await worker.database.job.findUniqueOrThrow({ where: { id } })).abortAt).not.toBeNull();
  });
});

describe('a POST to the job itself', () => {
  test('takes PHASE, as uws-client sends it', async () => {
    const id = await worker.job('CLIENT');
    await redirectsTo(`${worker.jobs}/${id}`, worker.ask(`/${id}`, { form: 'PHASE=RUN' }));
    await redirectsTo(`${worker.jobs}/${id}`, worker.ask(`/${id}`, { form: 'PHASE=ABORT' }));
    expect(await worker.phase(id)).toBe('ABORTED');
  });

  test.each([
    '',
    'WAIT=1',
    'ACTION=delete',
    'ACTION=RESTORE',
    'ACTION=DELETE&PHASE=RUN',
    'ACTION=DELETE&ACTION=DELETE',
  ])('with %p is refused and destroys nothing', async (form) => {
    const id = await worker.job('CLIENT');
    expect(await worker.ask(`/${id}`, { form })).toMatchObject(
      refusal(400, /^parameter-invalid: /),
    );
    expect(await worker.phase(id)).toBe('PENDING');
  });
});

test('no answer was a server error', () => expect(worker.unexpected).toEqual([]));
