import { once } from 'node:events';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { isReachable, isRoot } from '../../src/places/reachable.ts';
import { signal } from '../../src/runners/process/supervise/signal.ts';
import { fetchPart, sendAsk } from '../../src/cli/conversation.ts';
import { freePort } from '../harness/free-port.ts';
import type { TestSite } from '../harness/site.ts';
import {
  openGround,
  until,
  type Ground,
  type Options,
  type ServiceProcess,
} from './service-process.ts';
import {
  askFor,
  offerFor,
  openProgramHost,
  startJob,
  untilPhase,
  writeWorkerSite,
  type ProgramHost,
} from './worker-site.ts';

const NOBODY = 65534;
async function status(url: string): Promise<number> {
  return (await fetch(url)).status;
}
function refused(url: string): Promise<boolean> {
  return fetch(url).then(
    () => false,
    () => true,
  );
}

describe('the service as its operator sees it', () => {
  let host: ProgramHost;
  let site: TestSite;
  let options: Options;
  /** Where one service after the other lives: a start on new data takes half as long again. */
  let ground: Ground;
  let living: ServiceProcess | undefined;
  beforeAll(async () => {
    host = await openProgramHost();
    // Jobs and offers of one test leave room for those of the next.
    site = await writeWorkerSite(host, { cores: 200, memory: '200GiB', scratch: '2TiB' });
    // Each start has the URL of the one before.
    const PORT = String(await freePort());
    options = { environment: { SITE_FILE: site.siteFile, PORT } };
    ground = await openGround();
  });
  afterAll(async () => {
    await living?.stop();
    host.close();
    await site.remove();
    await ground.close();
  });

  /** Starts a service, after the end of the one that a test left. */
  const start = async (more: Options = {}): Promise<ServiceProcess> => {
    if (living?.isRunning() === true) await living.stop();
    living = ground.start({ ...options, ...more });
    return living;
  };
  /** The service that a test left, or a new one. */
  const running = async (): Promise<ServiceProcess> =>
    living?.isRunning() === true ? living : start();

  /** Commands of the running workers, by file name. */
  const workers = (): readonly string[] =>
    ground
      .processes()
      .map(({ command }) => /workers\/(\w+)\.ts/.exec(command)?.[1])
      .filter((name) => name !== undefined);

  test('serves on loopback until SIGTERM, then exits 0 and leaves no process', async () => {
    const service = await running();
    const url = await service.ready();
    expect(new URL(url).hostname).toBe('127.0.0.1');
    expect(await status(`${url}/livez`)).toBe(200);
    await until('it is ready', async () => (await status(`${url}/readyz`)) === 200 || undefined);
    expect(await service.stop()).toMatchObject({ code: 0, signal: null });
    expect(await refused(`${url}/livez`)).toBe(true);
    expect(ground.processes()).toEqual([]);
  });

  test.each(['SIGTERM', 'SIGKILL'] as const)(
    'ends on %s of npm, which started it',
    async (signal) => {
      const service = await start({ command: ['npm', 'start'] });
      await service.ready();
      service.kill(signal);
      // The embedded database ends with a service that shuts down properly, and only then.
      expect(
        await until('all of it is gone', () => ground.processes().length === 0 || undefined),
      ).toBe(true);
    },
  );

  test('ends all its processes in order on Ctrl-C in `npm start`, which reaches each of them', async () => {
    const service = await start({ command: ['npm', 'start'] });
    const url = await service.ready();
    await service.logged('executor is ready');
    await askFor(url, host.url('true'));
    service.killGroup('SIGINT');
    const { code, signal } = await service.ended;
    // npm passes the signal on to its own parent; a shell shows that as 130.
    expect(signal ?? code).toBe(code === 0 ? 0 : 'SIGINT');
    await until('all are gone', () => ground.processes().length === 0 || undefined);
    expect(service.output()).toContain('"msg":"stopped"');
    expect(service.output()).not.toMatch(/"level":(50|60)/);
  });

  test('finds everything as it was at a second start on the same data directory', async () => {
    const first = await running();
    const service = await first.ready();
    const job = await startJob(service, host.url('echo kept > file.txt'));
    await untilPhase(job, 'COMPLETED');
    const open = await offerFor(service, host.url('true'));
    const seen = [
      await fetchPart(job, ''),
      await fetchPart(job, 'results'),
      await fetchPart(job, 'results/file.txt'),
    ];
    await first.stop();

    const second = await start();
    await second.ready();
    expect([
      await fetchPart(job, ''),
      await fetchPart(job, 'results'),
      await fetchPart(job, 'results/file.txt'),
    ]).toEqual(seen);
    expect(await (await fetch(open.href)).text()).toContain('status: OFFERED');
  });

  test('leaves a running job alone when it stops, and takes it over at the next start', async () => {
    const first = await running();
    const service = await first.ready();
    const job = await startJob(
      service,
      host.url('while [ ! -e go ]; do sleep 0.1; done; echo went on'),
    );
    await untilPhase(job, 'EXECUTING');
    expect(await first.stop()).toMatchObject({ code: 0 });
    const left = ground.processes();
    expect(left.length).toBeGreaterThan(0);
    expect(
      left.every(({ command }) => !command.includes('workers/') && !command.includes('postgres')),
    ).toBe(true);

    const second = await start();
    await second.ready();
    expect(await fetchPart(job, 'phase')).toBe('EXECUTING');
    await writeFile(join(ground.folder, 'data/jobs', job.split('/').at(-1) ?? '', 'work/go'), '');
    await untilPhase(job, 'COMPLETED');
    expect(await fetchPart(job, 'results/stdout')).toBe('went on\n');
  });

  test('whose start hangs ends at the second signal, but not at the second of a pair', async () => {
    const PLUGINS_DIR = join(ground.folder, 'plugins');
    await mkdir(join(PLUGINS_DIR, 'endless'), { recursive: true });
    await writeFile(
      join(PLUGINS_DIR, 'endless/plugin.mjs'),
      "console.log('it hangs'); setInterval(() => undefined, 1000); await new Promise(() => undefined);",
    );
    const stuck = ground.start({ environment: { ...options.environment, PLUGINS_DIR } });
    await stuck.said('it hangs');
    stuck.kill('SIGTERM');
    stuck.kill('SIGTERM');
    await delay(1500);
    expect(stuck.isRunning()).toBe(true);
    stuck.kill('SIGTERM');
    expect(await stuck.ended).toMatchObject({
      code: 1,
      output: expect.stringContaining('SIGTERM came again before the start was over'),
    });
  });

  test('refuses a second service on the same data directory, and the first is not disturbed', async () => {
    const first = await running();
    const url = await first.ready();
    const { code, output } = await ground.start(options).ended;
    expect(code).toBe(1);
    expect(output).toContain(
      `${join(ground.folder, 'data')} is in use: another planner runs on it.`,
    );
    expect(output).not.toContain('    at ');
    expect(await askFor(url, host.url('true'))).toMatch(/^ *result: 'YES'$/m);
    expect(first.isRunning()).toBe(true);
  });

  test('can be asked again after the sandbox failed to answer an ask', async () => {
    const service = await running();
    const url = await service.ready();
    const before = ground
      .processes()
      .find(({ command }) => /^\S+\/node .*--permission/.test(command));
    if (before === undefined) throw new Error('there is no sandbox');
    process.kill(before.pid, 'SIGKILL');
    expect(await sendAsk(url, JSON.stringify({ task: { type: 'urn:unknown' } }))).toMatch(
      /^ *result: 'NO'$/m,
    );
    await until(
      'asks are answered again',
      async () => (await askFor(url, host.url('true'))).includes("result: 'YES'") || undefined,
    );
    // Another sandbox may still be on its way, which the next test must not meet.
    expect(await service.stop()).toMatchObject({ code: 0 });
  });

  test('on SIGTERM answers whoever waits for a job, and lets a half-sent request end', async () => {
    const service = await running();
    const url = await service.ready();
    const job = await startJob(url, host.url('sleep 600'));
    await untilPhase(job, 'EXECUTING');
    const waiting = fetchPart(job, '?WAIT=60&PHASE=EXECUTING');
    const asking = request(`${url}/request`, {
      method: 'POST',
      headers: { 'content-type': 'application/yaml' },
    });
    const answered = once(asking, 'response');
    asking.write('task:\n');
    // Both requests have reached the service when a later third one is answered.
    await delay(100);
    await status(`${url}/livez`);
    service.kill('SIGTERM');
    expect(await waiting).toContain('<uws:phase>EXECUTING</uws:phase>');
    asking.end('  type: urn:unknown\n');
    const [response] = await answered;
    expect(response.statusCode).toBe(200);
    response.resume();
    expect(await service.ended).toMatchObject({ code: 0, signal: null });
    for (const { pid } of ground.processes()) signal(pid, 'SIGKILL');
  });

  test('names a port that is taken, exits 1, and leaves nothing running', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const started = await start({ environment: { ...options.environment, PORT: `${port}` } });
    const { code, output } = await started.ended;
    taken.close();
    expect(code).toBe(1);
    expect(output).toContain(`cannot listen on HOST 127.0.0.1, PORT ${port}`);
    expect(
      output
        .split('\n')
        .filter((line) => !line.startsWith('{'))
        .join('\n'),
    ).not.toContain('    at ');
    expect(ground.processes()).toEqual([]);
  });

  test.each([
    [
      'refuses',
      'postgresql://me:secret@localhost:1/mine',
      /the database mine at localhost:1 cannot be used as me: .*ECONNREFUSED/,
    ],
    [
      'is not there',
      'postgresql://me:secret@nowhere.invalid/mine',
      /the database mine at nowhere.invalid:5432 cannot be used as me: .*(ENOTFOUND|EAI_AGAIN)/,
    ],
  ])(
    'names a DATABASE_URL whose server %s without its password, and exits 1',
    async (_how, url, message) => {
      const started = await start({ environment: { ...options.environment, DATABASE_URL: url } });
      const { code, output } = await started.ended;
      expect(code).toBe(1);
      expect(output).toMatch(message);
      expect(output).not.toContain('secret');
      expect(output).not.toContain('    at ');
      expect(ground.processes()).toEqual([]);
    },
  );

  test('after kill -9 its workers end by themselves, and the next start adopts the database', async () => {
    const first = await running();
    await first.ready();
    await first.logged('executor is ready');
    expect(workers().toSorted()).toEqual(['executor', 'sweeper']);
    first.kill('SIGKILL');
    await until(
      'only the database is left',
      () =>
        ground
          .processes()
          .every(
            ({ command }) => command.startsWith('postgres') || command.includes('/postgres '),
          ) || undefined,
    );
    living = ground.start(options);
    expect(await living.logged('embedded PostgreSQL runs')).toMatchObject({ adopted: true });
    await living.ready();
    expect(await living.stop()).toMatchObject({ code: 0 });
  });

  test('goes on when nobody reads its log any more', async () => {
    const service = await running();
    const url = await service.ready();
    service.hangUp();
    const job = await startJob(url, host.url('echo done'));
    await untilPhase(job, 'COMPLETED');
    expect(await service.stop()).toMatchObject({ code: 0, signal: null });
  });

  test('names all unusable settings at once', async () => {
    const started = await start({ environment: { PORT: 'http', LOG_LEVEL: 'loud' } });
    const { code, output } = await started.ended;
    expect(code).toBe(1);
    expect(output).toContain('PORT must be a whole number');
    expect(output).toContain('LOG_LEVEL must be one of');
  });

  describe('on new data', () => {
    let fresh: Ground;
    beforeEach(async () => {
      fresh = await openGround();
    });
    afterEach(() => fresh.close());

    test.each([
      ['at its first breath', undefined],
      ['while it starts the database', 'embedded PostgreSQL runs'],
      ['while it migrates', 'database migrated'],
      ['while it loads the rules', 'rules are loaded'],
    ])('leaves nothing behind on SIGTERM %s', async (_when, message) => {
      const service = fresh.start(options);
      if (message !== undefined) await service.logged(message);
      const { code, signal } = await service.stop();
      // Before it listens for signals the kernel ends it, and nothing is left behind.
      expect(message === undefined ? (signal ?? code) : code).toBe(
        message === undefined && signal !== null ? 'SIGTERM' : 0,
      );
      await until('all are gone', () => fresh.processes().length === 0 || undefined);
    });

    test('serves once when two start at once on a new data directory: the other is refused', async () => {
      const both = [fresh.start(options), fresh.start(options)];
      const codes = await Promise.race(
        both.map(async ({ ended }, index) => ({ index, ...(await ended) })),
      );
      expect(codes).toMatchObject({ code: 1, output: expect.stringContaining('is in use') });
      const other = both[1 - codes.index];
      expect(await askFor((await other?.ready()) ?? '', host.url('true'))).toMatch(
        /^ *result: 'YES'$/m,
      );
      expect(await other?.stop()).toMatchObject({ code: 0 });
    });
  });
});

// Without root, all tests run as an ordinary user.
const canBecomeOne = isRoot() && isReachable(fileURLToPath(new URL('../..', import.meta.url)));
(canBecomeOne ? describe : describe.skip)(
  'the service of an ordinary user (needs root to become one, and a project that others may read)',
  () => {
    test('starts with its own PostgreSQL, and runs jobs as that user', async () => {
      const host = await openProgramHost();
      const ground = await openGround(NOBODY);
      const site = await writeWorkerSite(host);
      await chmod(site.folder, 0o755);
      const service = ground.start({ environment: { SITE_FILE: site.siteFile }, uid: NOBODY });
      const job = await startJob(await service.ready(), host.url('id -u'));
      await untilPhase(job, 'COMPLETED');
      expect(await fetchPart(job, 'results/stdout')).toBe(`${NOBODY}\n`);
      expect(await service.stop()).toMatchObject({ code: 0 });
      host.close();
      await site.remove();
      await ground.close();
    });
  },
);
