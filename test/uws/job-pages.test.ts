import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { printCursor, readCursor } from '../../src/uws/read/list-cursor.ts';
import { parseOfferId, type JobId } from '../../src/words/ids.ts';
import { contractFaults } from '../harness/contract.ts';
import { runs } from '../harness/runs.ts';
import { hasSchema, openSchema } from './clients/schema.ts';
import { openWorker, type Worker } from './clients/worker.ts';

let worker: Worker;
beforeAll(async () => {
  worker = await openWorker();
});
afterAll(() => worker.close());

type Page = {
  readonly ids: readonly string[];
  readonly next: string | undefined;
  readonly link: string | undefined;
};

/** All jobs of a list, read page by page. @param between is called after each page */
async function allPages(
  query: string,
  as: string,
  between: (read: readonly string[]) => Promise<unknown> = async () => undefined,
): Promise<readonly string[]> {
  const found: string[] = [];
  let url: string | undefined = query;
  while (url !== undefined) {
    const read: Page = await page(url, as);
    found.push(...read.ids);
    await between(found);
    url = read.link;
  }
  return found;
}

/** A page of a list in JSON; the header names the same next page as the document. */
async function page(query: string, as: string): Promise<Page> {
  const answer = await worker.ask(query, { as, headers: { accept: 'application/json' } });
  expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
  const document: unknown = JSON.parse(answer.text);
  expect(contractFaults('UwsJobList', document)).toEqual([]);
  const { jobs, next } = Object(document);
  const [, link] = /^<(.+)>; rel="next"$/.exec(answer.headers.get('link') ?? '') ?? [];
  expect(link === undefined ? null : new URL(link).searchParams.get('CURSOR')).toBe(next ?? null);
  return { ids: jobs.map(({ id }: { id: string }) => id), next, link };
}

async function jobsOf(user: string, amount: number): Promise<readonly JobId[]> {
  const ids: JobId[] = [];
  for (let n = 0; n < amount; n += 1) ids.unshift(await worker.job('AUTO', `user:${user}`));
  return ids;
}

async function setJob(id: JobId, { at, name }: { at?: string; name?: string }): Promise<void> {
  await worker.database.$executeRaw`UPDATE job SET
    created_at = coalesce(${at ?? null}::timestamptz, created_at),
    run_id = coalesce(${name ?? null}, run_id) WHERE id = ${id}::uuid`;
}

describe('the job list in pages', () => {
  test('has every job once, the newest first, also jobs of the same instant', async () => {
    const ids = await jobsOf('ann', 7);
    await worker.database.$executeRaw`
      UPDATE job SET created_at = '2026-08-10T10:00:00.123456Z' WHERE id = ANY (${ids.slice(2, 6)}::uuid[])`;
    const whole = (await page('', 'ann')).ids;
    expect(whole.toSorted()).toEqual(ids.toSorted());
    for (const limit of [1, 2, 3, 7, 100])
      expect(await allPages(`?LIMIT=${limit}`, 'ann')).toEqual(whole);
    expect(await page('?LIMIT=7', 'ann')).toMatchObject({ next: undefined });
  });

  test('is not disturbed by jobs that come and go', async () => {
    const ids = await jobsOf('ben', 8);
    let rounds = 0;
    const read = await allPages('?LIMIT=2', 'ben', async (before) => {
      rounds += 1;
      await worker.job('AUTO', 'user:ben');
      // The last job of the page, after which the next page begins, goes too.
      const gone = [before.at(-1), before.at(-2)][rounds % 2];
      await worker.ask(`/${gone}`, { as: 'ben', method: 'DELETE' });
    });
    expect(read).toEqual(ids);
  });

  test('loses only jobs that are gone, whatever happens between two pages', async () => {
    const step = fc.constantFrom('add', 'remove a read one', 'remove one to come', 'nothing');
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 5 }),
        fc.array(step, { minLength: 8, maxLength: 8 }),
        fc.uuid(),
        async (limit, steps, run) => {
          const user = `p${run}`;
          const ids = await jobsOf(user, 8);
          const gone = new Set<string>();
          const left = [...steps];
          const read = await allPages(`?LIMIT=${limit}`, user, async (before) => {
            const next = left.shift();
            if (next === 'add') await worker.job('AUTO', `user:${user}`);
            const removed =
              next === 'remove a read one'
                ? before.at(-1)
                : next === 'remove one to come'
                  ? ids.find((id) => !before.includes(id))
                  : undefined;
            if (removed === undefined) return;
            if (!before.includes(removed)) gone.add(removed);
            await worker.ask(`/${removed}`, { as: user, method: 'DELETE' });
          });
          expect(read).toEqual(ids.filter((id) => !gone.has(id)));
        },
      ),
      { numRuns: runs(15) },
    );
  });

  test('keeps its filters from page to page', async () => {
    const ids = await jobsOf('cat', 6);
    for (const id of ids.slice(0, 4)) await worker.start(id);
    expect(await allPages('?phase=EXECUTING&limit=3', 'cat')).toEqual(ids.slice(0, 4));
    const { link } = await page('?phase=EXECUTING&limit=3', 'cat');
    expect(link).toMatch(/\/jobs\?phase=EXECUTING&limit=3&CURSOR=\d+\.[\da-f-]{36}$/);
  });

  test('has 100 jobs on a page unless the client says it, and 1,000 at the most', async () => {
    const [id] = await jobsOf('dan', 1);
    const [newest] = await jobsOf('dan', 1);
    const { next } = await page('?LIMIT=1', 'dan');
    expect(await page(`?CURSOR=${next}`, 'dan')).toMatchObject({ ids: [id], next: undefined });
    expect((await page('?LIMIT=99999999999', 'dan')).ids).toEqual([newest, id]);
  });

  test('names the next page in XML by the header, and on the page of a browser by a link', async () => {
    await jobsOf('eve', 3);
    const xml = await worker.ask('?LIMIT=2', { as: 'eve' });
    expect(xml.headers.get('link')).toContain('/jobs?LIMIT=2&CURSOR=');
    expect(xml.text.match(/<uws:jobref /g)).toHaveLength(2);
    expect(hasSchema ? openSchema()(xml.text) : '').toBe('');
    const html = await worker.ask('?LIMIT=2', {
      as: 'eve',
      headers: { accept: 'text/html,application/xhtml+xml' },
    });
    expect(html.text).toMatch(/<a href="[^"]+LIMIT=2&amp;CURSOR=[^"]+">Older jobs<\/a>/);
    const whole = await worker.ask('', { as: 'eve' });
    expect(whole.headers.get('link')).toBeNull();
  });

  test.each(['LIMIT=0', 'LIMIT=-1', 'LIMIT=x', 'CURSOR=x', 'CURSOR=1', 'LIMIT=1&LAST=1'])(
    'refuses %s',
    async (query) => {
      const answer = await worker.ask(`?${query}`);
      expect([answer.status, answer.text]).toEqual([
        400,
        expect.stringMatching(/^parameter-invalid: /),
      ]);
    },
  );

  test('shows nothing of other owners, with whatever cursor', async () => {
    await jobsOf('fay', 2);
    const [foreign] = await jobsOf('gus', 1);
    const own = await jobsOf('fay', 1);
    const { next } = await page('?LIMIT=1', 'fay');
    expect((await page(`?CURSOR=${next}`, 'gus')).ids).toEqual([foreign]);
    expect((await page('?LIMIT=10', 'fay')).ids).toEqual(expect.arrayContaining([...own]));
    expect((await page('?LIMIT=10', 'fay')).ids).not.toContain(foreign);
  });
});

describe('the filters of the job list', () => {
  test('by destination are a union', async () => {
    const [a, b, c] = await jobsOf('hal', 3);
    await worker.database.destination.createMany({
      data: ['north', 'south'].map((id) => ({
        id,
        cores: 1,
        memoryMib: 1,
        scratchMib: 1,
        gpus: {},
      })),
    });
    await worker.database
      .$executeRaw`UPDATE offer SET destination_id = 'north' WHERE id = ${a}::uuid`;
    await worker.database
      .$executeRaw`UPDATE offer SET destination_id = 'south' WHERE id = ${b}::uuid`;
    expect((await page('?DESTINATION=north', 'hal')).ids).toEqual([a]);
    expect((await page('?destination=north&DESTINATION=south', 'hal')).ids).toEqual([a, b]);
    expect((await page('?DESTINATION=local', 'hal')).ids).toEqual([c]);
    for (const none of ['?DESTINATION=', '?DESTINATION=NORTH', '?DESTINATION=a%00b'])
      expect((await page(none, 'hal')).ids).toEqual([]);
  });

  test('by name take a part of it, in upper or lower case, and nothing as a pattern', async () => {
    const [a, b, c] = await jobsOf('ida', 3);
    if (a === undefined || b === undefined) throw new Error('no jobs');
    await setJob(a, { name: 'Deep field 7, 100%' });
    await setJob(b, { name: 'Deep_field 8' });
    expect((await page('?NAME=deep', 'ida')).ids).toEqual([a, b]);
    expect((await page('?NAME=FIELD%207', 'ida')).ids).toEqual([a]);
    expect((await page('?NAME=%25', 'ida')).ids).toEqual([a]);
    expect((await page('?NAME=p_f', 'ida')).ids).toEqual([b]);
    expect((await page('', 'ida')).ids).toEqual([a, b, c]);
    for (const bad of ['?NAME=', '?NAME=a%00', `?NAME=${'x'.repeat(65)}`])
      expect((await worker.ask(bad, { as: 'ida' })).status).toBe(400);
  });

  test('by time exclude the times that they name, as the list shows them', async () => {
    const [a, b] = await jobsOf('jan', 2);
    if (a === undefined || b === undefined) throw new Error('no jobs');
    await setJob(a, { at: '2026-08-10T10:00:00.123900Z' });
    await setJob(b, { at: '2026-08-10T09:00:00Z' });
    expect((await page('?BEFORE=2026-08-10T10:00:00.123Z', 'jan')).ids).toEqual([b]);
    expect((await page('?BEFORE=2026-08-10T10:00:00.124Z', 'jan')).ids).toEqual([a, b]);
    const between = '?AFTER=2026-08-10T09:00:00Z&BEFORE=2026-08-10T11:00';
    expect((await page(between, 'jan')).ids).toEqual([a]);
    expect((await worker.ask('?BEFORE=soon')).status).toBe(400);
  });

  test('by phases of jobs that have not ended find them among archived ones', async () => {
    const [queued, running, archived] = await jobsOf('kim', 3);
    if (running === undefined || archived === undefined) throw new Error('no jobs');
    await worker.start(running);
    await worker.complete(archived);
    await worker.database
      .$executeRaw`UPDATE job SET archived_at = now() WHERE id = ${archived}::uuid`;
    expect((await page('?PHASE=QUEUED&PHASE=EXECUTING', 'kim')).ids).toEqual([queued, running]);
    expect((await page('?PHASE=ARCHIVED&PHASE=QUEUED', 'kim')).ids).toEqual([queued, archived]);
    expect((await page('?PHASE=ARCHIVED&LIMIT=5', 'kim')).ids).toEqual([archived]);
  });
});

describe('the lists of others', () => {
  test('are for administrators: of one user, and of everybody', async () => {
    const [lee] = await jobsOf('lee', 1);
    const [mia] = await jobsOf('mia', 1);
    expect((await page('?OWNER=lee&LIMIT=9', 'admin')).ids).toEqual([lee]);
    expect((await page('?OWNER=*&LIMIT=2', 'admin')).ids).toEqual([mia, lee]);
    expect((await allPages('?OWNER=*&LIMIT=9', 'admin')).length).toBeGreaterThan(10);
    for (const owner of ['*', 'lee'])
      expect((await worker.ask(`?OWNER=${owner}`, { as: 'mia' })).status).toBe(403);
    expect((await worker.ask('?OWNER=*')).status).toBe(403);
  });
});

describe('a cursor', () => {
  test('is read as it was printed', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.integer({ min: 0, max: 8_999_999_999_999_999 }), (uuid, micros) => {
        const id = parseOfferId(uuid);
        if (id === undefined) throw new Error('no id');
        expect(readCursor(printCursor({ id, micros }))).toEqual({ id, micros });
      }),
    );
  });

  test('of any text is refused or a place', async () => {
    const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), maxLength: 18 });
    const written = fc.tuple(digits, fc.uuid()).map((parts) => parts.join('.'));
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string(), written), async (text) => {
        const answer = await worker.ask(`?CURSOR=${encodeURIComponent(text)}`);
        expect([200, 400]).toContain(answer.status);
      }),
      { numRuns: runs(60) },
    );
  });
});

test('no answer was a server error', () => expect(worker.unexpected).toEqual([]));
