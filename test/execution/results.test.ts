import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { fetchPart, fetchResult } from '../../src/cli/conversation.ts';
import { createClaims } from '../../src/executor/claims.ts';
import { createExecutor } from '../../src/executor/executor.ts';
import { openDisc } from '../../src/places/disc.ts';
import { jobRunner } from '../../src/runners/machines/runner.ts';
import { processRunner } from '../../src/runners/process-runner.ts';
import { runnersOf } from '../../src/runners/registry.ts';
import { createStager } from '../../src/storage/stager.ts';
import { until } from '../cli/service-process.ts';
import { accept, placeOffers, writeSites } from '../harness/book.ts';
import { openTestDatabase } from '../harness/database.ts';
import { startWholeService, type Told, type WholeService } from '../harness/whole-service.ts';

const RULES = { destinations: { here: { runner: 'process' } } };
function siteWith(results: object): object {
  return {
    rules: ['rules.yml'],
    results,
    defaults: { cores: 1, memory: '256MiB', scratch: '200MiB' },
    destinations: {
      here: {
        runner: 'process',
        'task-types': ['executable'],
        cores: 800,
        memory: '1TiB',
        scratch: '1TiB',
      },
    },
  };
}
function question(script: string): object {
  return {
    task: {
      type: 'https://www.purl.org/ivoa-net/task-type/executable',
      spec: { command: ['sh', '-c', script] },
    },
  };
}

describe('what jobs leave behind', () => {
  let service: WholeService;
  beforeAll(async () => {
    service = await startWholeService({
      site: siteWith({ size: '100MiB', 'per-job': '10MiB' }),
      rules: RULES,
    });
  });
  afterAll(async () => {
    await service?.close();
  });

  const run = (script: string): Promise<Told> => service.run(question(script));
  const filesOf = async (job: string): Promise<readonly string[]> =>
    (
      await readdir(join(service.folder, 'jobs', job.split('/').at(-1) ?? ''), { recursive: true })
    ).sort();
  const remove = (job: string) => fetch(job, { method: 'DELETE', redirect: 'manual' });

  test('is nothing where nobody can fetch it: no task files, temporary files or volumes', async () => {
    const done = await run(
      'mkdir -p a/b && echo kept > a/b/c && head -c 1000000 /dev/zero > "$TMPDIR/junk" && ln -s /etc/passwd link',
    );
    expect(done.last).toBe('COMPLETED');
    // A folder may disappear while it is listed.
    await until(
      'the rest is removed',
      async () =>
        (await filesOf(done.job).catch(() => ['tmp'])).every(
          (path) => !/^(?:tmp|volumes|task)|junk|link/.test(path),
        ) || undefined,
    );
    expect(await fetchResult(done.job, 'a_b_c')).toBe('kept\n');
    await remove(done.job);
  });

  test('may exceed the promise while half of the room is free; later the largest files go', async () => {
    const first = await run('head -c 40000000 /dev/zero > large.bin; echo small > small.txt');
    expect(first.last).toBe('COMPLETED');
    const second = await run('head -c 40000000 /dev/zero > large.bin; echo small > small.txt');
    expect(second.last).toBe('ERROR');
    expect(await fetchPart(second.job, 'error')).toContain(
      'results-exceeded: the job left 39 MiB, and there is room for 10 MiB',
    );
    expect(await fetchResult(second.job, 'small.txt')).toBe('small\n');
    expect(await fetchPart(second.job, 'results')).not.toContain('large.bin');
    expect((await filesOf(second.job)).filter((path) => path.endsWith('large.bin'))).toEqual([]);

    // The output is cut.
    const third = await run('head -c 30000000 /dev/zero | tr "\\\\0" x; exit 3');
    expect(await fetchPart(third.job, 'error')).toContain('task-failed');
    expect((await fetchResult(third.job, 'stdout')).length).toBe(10 * 2 ** 20);
    await Promise.all([first, second, third].map(({ job }) => remove(job)));
  });

  test('makes the answer a NO that says so when it takes all the room, until some is removed', async () => {
    const answers: string[] = [];
    const ask = async () => (
      await answers.push(await service.ask(question('true'))),
      answers.at(-1) ?? ''
    );
    await until(
      'removed',
      async () =>
        (await service.db.database.$queryRaw<unknown[]>`SELECT FROM result_use`).length === 0 ||
        undefined,
    );
    const first = await run('head -c 9000000 /dev/zero > nine.bin');
    const {
      destinations: [drawn],
    }: { readonly destinations: readonly { readonly results: object }[] } = Object(
      Object(
        await (
          await fetch(`${service.url}/calendar`, { headers: { Accept: 'application/json' } })
        ).json(),
      ).calendar,
    );
    expect(drawn?.results).toEqual({ size: 0.098, free: 0.089, held: 0, kept: 0.009 });
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).toContain('planner_results_room_bytes{pool="*"} 104857600');
    expect(metrics).toContain('planner_results_bytes{destination="here",pool="*"} 9065536');
    for (let open = 0; open < 9; open += 1) expect(await ask()).toContain("result: 'YES'");
    const no = await ask();
    expect(no).toContain("result: 'NO'");
    expect(no).toContain('code: no-results-space');
    expect(no.replaceAll(/\s+/g, ' ')).toContain(
      '(the task needs 10Mb for results here, limit 1Mb)',
    );
    await remove(first.job);
    await until(
      'there is room again',
      async () => (await service.ask(question('true'))).includes("result: 'YES'") || undefined,
    );
  });
});

describe('a disc that is nearly full', () => {
  test('gets no offers, and readiness says why with the numbers', async () => {
    const service = await startWholeService({
      site: siteWith({ 'keep-free': '900000TiB' }),
      rules: RULES,
    });
    try {
      const no = await service.ask(question('true'));
      expect(no).toContain('code: disc-nearly-full');
      const readiness: unknown = await (await fetch(`${service.url}/readyz`)).json();
      expect(readiness).toMatchObject({
        parts: { disc: 'degraded' },
        problems: {
          disc: [
            expect.stringMatching(
              /^\d+ MiB are free on the disc that jobs write to, and 943718400000 MiB must stay free/,
            ),
          ],
        },
      });
    } finally {
      await service.close();
    }
  });

  test('lets an accepted job wait for room and not fail', async () => {
    const db = await openTestDatabase();
    const root = mkdtempSync('/var/tmp/results-test-');
    chmodSync(root, 0o711);
    try {
      await writeSites(db.database, { here: 100 });
      const [id] = (await placeOffers(db.database, [{ destination: 'here', cores: 1 }])) ?? [];
      if (id === undefined) throw new Error('no offer');
      await accept(db.database, id);
      const stateIs = async (wanted: string) =>
        (
          await db.database.$queryRaw<
            { state: string }[]
          >`SELECT state::text FROM offer WHERE id = ${id}::uuid`
        )[0]?.state === wanted || undefined;
      const jobsRoot = join(root, 'jobs');
      const urls = { allowHosts: [], fileRoots: [] };
      const home = { host: 'here' };
      const executorWith = (least: number) =>
        createExecutor({
          claims: createClaims(db.database, { executor: 'here:1:1', home, leaseSeconds: 60 }),
          home,
          log: pino({ level: 'silent' }),
          runners: runnersOf(
            new Map([['here', jobRunner(processRunner({ jobsRoot, urls }), jobsRoot)]]),
          ),
          stager: createStager({ backends: new Map(), s3: new Map(), adapters: new Map(), urls }),
          disc: openDisc([root], least, () => performance.now()),
        });
      const full = executorWith(1e15);
      await full.execute(id);
      expect(await stateIs('ACCEPTED')).toBe(true);
      const [message] = await db.database.$queryRaw<
        { later: boolean }[]
      >`SELECT run_at > clock_timestamp() AS later FROM graphile_worker.jobs WHERE key = 'look:here'`;
      expect(message?.later).toBe(true);
      await full.close();
      const roomy = executorWith(1);
      await roomy.execute(id);
      await until('the job is over', () => stateIs('COMPLETED'));
      await roomy.close();
    } finally {
      await db.close();
      rmSync(root, { recursive: true, force: true });
    }
  });
});
