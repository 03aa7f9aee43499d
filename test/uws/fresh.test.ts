import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openDatabase, type Database } from '../../src/db/client.ts';
import type { Job } from '../../src/uws/job.ts';
import { openKept } from '../../src/uws/store/kept-jobs.ts';
import { keptText } from '../../src/uws/store/kept-texts.ts';
import { readJob } from '../../src/uws/store/read-job.ts';
import type { JobId } from '../../src/words/ids.ts';
import { job as sample, newId } from './clients/jobs.ts';
import { openWorker, type Worker } from './clients/worker.ts';

let worker: Worker;
/** Another planner: it has a pool and a memory of its own. */
let elsewhere: Database;
beforeAll(async () => {
  worker = await openWorker();
  elsewhere = openDatabase(worker.url, 3);
});
afterAll(async () => {
  await elsewhere.$disconnect();
  await worker.close();
});

/** Reads it twice, so that the other planner surely remembers it. */
async function known(id: JobId): Promise<Job> {
  await readJob(elsewhere, id);
  const job = await readJob(elsewhere, id);
  if (job === undefined) throw new Error(`job ${id} is not there`);
  return job;
}

type Change = {
  readonly what: string;
  readonly make: (id: JobId) => Promise<unknown>;
  readonly seen: (job: Job | undefined) => unknown;
  readonly becomes: unknown;
};

function post(path: string, form: string, method?: string) {
  return async (id: JobId): Promise<void> => {
    expect(
      (await worker.ask(`/${id}${path}`, { form, ...(method === undefined ? {} : { method }) }))
        .status,
    ).toBe(303);
  };
}

const CHANGES: readonly Change[] = [
  {
    what: 'PHASE=RUN',
    make: post('/phase', 'PHASE=RUN'),
    seen: (job) => job?.state,
    becomes: 'WAITING',
  },
  {
    what: 'PHASE=ABORT',
    make: post('/phase', 'PHASE=ABORT'),
    seen: (job) => [job?.state, job?.error?.code, job?.endedAt === null],
    becomes: ['CANCELLED', 'aborted', false],
  },
  {
    what: 'EXECUTIONDURATION',
    make: post('/executionduration', 'EXECUTIONDURATION=77'),
    seen: (job) => job?.executionS,
    becomes: 77,
  },
  {
    what: 'DESTRUCTION',
    make: post('/destruction', 'DESTRUCTION=2030-01-01'),
    seen: (job) => (job?.destructionAt.getTime() ?? 0) > Date.now() + 8 * 86_400_000,
    becomes: true,
  },
  {
    what: 'RUNID',
    make: post('/parameters', 'RUNID=mine'),
    seen: (job) => job?.runId,
    becomes: 'mine',
  },
  {
    what: 'a parameter',
    make: post('/parameters', 'BAND=g'),
    seen: (job) => job?.parameters,
    becomes: [{ name: 'BAND', text: 'g' }],
  },
  {
    what: 'its destruction',
    make: (id) => worker.ask(`/${id}`, { method: 'DELETE' }),
    seen: (job) => job,
    becomes: undefined,
  },
  {
    what: 'a start',
    make: async (id) => {
      await post('/phase', 'PHASE=RUN')(id);
      await worker.start(id);
    },
    seen: (job) => [job?.state, job?.startedAt === null],
    becomes: ['RUNNING', false],
  },
  {
    what: 'an end with results',
    make: async (id) => {
      await post('/phase', 'PHASE=RUN')(id);
      await worker.complete(id, [
        { id: 'stdout', path: 'stdout', mimeType: 'text/plain', size: 5 },
      ]);
    },
    seen: (job) => [job?.state, job?.results.map(({ id }) => id)],
    becomes: ['COMPLETED', ['stdout']],
  },
  {
    what: 'its archiving',
    make: async (id) => {
      await post('/phase', 'PHASE=ABORT')(id);
      await worker.database
        .$executeRaw`UPDATE job SET destruction_at = now() WHERE id = ${id}::uuid`;
      await worker.database.$queryRaw`SELECT archive_due_jobs(10)`;
    },
    seen: (job) => job?.archived,
    becomes: true,
  },
];

describe('the copy of a job at another planner', () => {
  test.each(CHANGES)(
    'is from after $what as soon as the answer is there',
    async ({ make, seen, becomes }) => {
      const id = await worker.job('CLIENT');
      const before = await known(id);
      expect(seen(before)).not.toEqual(becomes);
      await make(id);
      expect(seen(await readJob(elsewhere, id))).toEqual(becomes);
      expect(seen(await readJob(elsewhere, id))).toEqual(becomes);
    },
  );

  test('is from after each of many changes, and never from before', async () => {
    const id = await worker.job('CLIENT');
    for (let seconds = 1; seconds <= 100; seconds += 1) {
      await worker.database.job.update({ where: { id }, data: { executionS: seconds } });
      const all = await Promise.all([
        readJob(elsewhere, id),
        readJob(worker.database, id),
        readJob(elsewhere, id),
      ]);
      expect(all.map((job) => job?.executionS)).toEqual([seconds, seconds, seconds]);
    }
  });

  test('follows the place in the queue, which other jobs change', async () => {
    const [first, second] = [await worker.job(), await worker.job()];
    const place = async (): Promise<number | null | undefined> =>
      (await readJob(elsewhere, second))?.queuePosition;
    const before = await place();
    expect(await place()).toBe(before);
    await worker.ask(`/${first}/phase`, { form: 'PHASE=ABORT' });
    expect(await place()).toBe((before ?? 0) - 1);
  });

  test('has the present name of its owner', async () => {
    const owner = 'oidc:https://issuer.example subject';
    const id = await worker.job('CLIENT', owner);
    expect((await known(id)).ownerName).toBeNull();
    for (const name of ['ada', 'ada lovelace']) {
      await worker.database.identity.upsert({
        where: { owner },
        create: { owner, name },
        update: { name },
      });
      expect((await readJob(elsewhere, id))?.ownerName).toBe(name);
    }
  });

  test('is read again once its quote is over, though nothing of it changed', async () => {
    const id = await worker.job('CLIENT');
    await worker.database
      .$executeRaw`UPDATE job SET execution_s = 5, created_at = clock_timestamp() WHERE id = ${id}::uuid`;
    const [{ over } = { over: new Date() }] = await worker.database.$queryRaw<{ over: Date }[]>`
      SELECT greatest(o.starts_at, j.created_at) + interval '5 s' AS over FROM job j
      JOIN offer o ON o.id = j.id WHERE j.id = ${id}::uuid`;
    const before = await known(id);
    await worker.database.$queryRaw`
        SELECT pg_sleep(greatest(0, extract(epoch FROM ${over}::timestamptz - clock_timestamp()) +
          0.002))::text`;
    const after = await readJob(elsewhere, id);
    expect(after).not.toBe(before);
    expect((after?.now ?? before.now) >= over).toBe(true);
  });

  test('is the same reading, printed once, as long as nothing changed', async () => {
    const id = await worker.job('CLIENT');
    const before = await known(id);
    await worker.job('CLIENT');
    expect(await readJob(elsewhere, id)).toBe(before);
  });
});

test('the number of kept jobs is bounded: the least recently used goes first', () => {
  const kept = openKept(2);
  const [first, second, third] = [
    sample({ id: newId() }),
    sample({ id: newId() }),
    sample({ id: newId() }),
  ];
  kept.set(first, '1');
  kept.set(second, '1');
  expect(kept.get(first.id, '1')).toBe(first);
  kept.set(third, '1');
  expect([first, second, third].map(({ id }) => kept.has(id))).toEqual([true, false, true]);
  expect(kept.get(first.id, '2')).toBeUndefined();
  expect(kept.has(first.id)).toBe(false);
});

test('a large job is not kept, so that clients cannot fill the memory', () => {
  const kept = openKept();
  const [one, other] = [sample({ id: newId() }), sample({ id: newId() })];
  kept.set(
    {
      ...one,
      parameters: Array.from({ length: 10 }, (_, index) => ({
        name: `P${index}`,
        text: 'x'.repeat(4000),
      })),
    },
    '1',
  );
  kept.set(
    {
      ...other,
      results: Array.from({ length: 1000 }, (_, index) => ({
        id: `r${index}`,
        path: `out/${index}`,
        mimeType: 'text/plain',
        size: 1,
      })),
    },
    '1',
  );
  expect([one, other].map(({ id }) => kept.has(id))).toEqual([false, false]);
});

test('a long document is served but not kept', () => {
  const texts = new Map<string, string>();
  const text = 'x'.repeat(100_000);
  expect(keptText(texts, 'one', () => text)).toBe(text);
  expect(texts.size).toBe(0);
});

test('a document is printed once per requested name, and few of them are kept', () => {
  const texts = new Map<string, string>();
  const made: string[] = [];
  const ask = (name: string): string =>
    keptText(texts, name, () => {
      made.push(name);
      return `text of ${name}`;
    });
  expect([ask('one'), ask('one'), ask('other')]).toEqual([
    'text of one',
    'text of one',
    'text of other',
  ]);
  expect(made).toEqual(['one', 'other']);
  for (let index = 0; index < 1000; index += 1) ask(`host-${index}`);
  expect(texts.size).toBeLessThan(10);
  expect(ask('one')).toBe('text of one');
});
