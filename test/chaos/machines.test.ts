import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  fetchPart,
  fetchResult,
  firstOffer,
  sendAccept,
  sendAsk,
  sendJob,
} from '../../src/cli/conversation.ts';
import { openGround, until, type Ground, type ServiceProcess } from '../cli/service-process.ts';
import { writeSite, type TestSite } from '../harness/site.ts';
import { connectBook, kill, readBook } from './victims.ts';

const MACHINES = 6;
const EVERY = Array.from({ length: MACHINES }, (_, machine) => machine);
/** Writes a unique name of its run, and ends on request. */
const PROGRAM =
  'cat /proc/sys/kernel/random/uuid > mine; while [ ! -e go ]; do sleep 0.05; done; echo done';
/** An executor beats every two seconds. */
const TWO_BEATS_MS = 5000;

/**
 * A host that serves the program this many times, and delays all further clients until the test
 * admits more.
 */
async function openDoor() {
  const waiting = new Set<ServerResponse>();
  let [tickets, asked] = [0, 0];
  const serve = (): void => {
    for (const response of waiting) {
      if (tickets === 0) return;
      tickets -= 1;
      waiting.delete(response);
      response.end(PROGRAM);
    }
  };
  const server = createServer((_, response) => {
    asked += 1;
    waiting.add(response);
    response.on('close', () => waiting.delete(response));
    serve();
  });
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  const host = `127.0.0.1:${Object(server.address()).port}`;
  return {
    host,
    waiting: () => waiting.size,
    /** The number of requests since the last admission. */
    asked: () => asked,
    admit: (more: number): void => {
      tickets = more;
      asked = 0;
      serve();
    },
    close: (): void => {
      server.close();
      server.closeAllConnections();
    },
  };
}

describe('a job of several machines', () => {
  let ground: Ground;
  let door: Awaited<ReturnType<typeof openDoor>>;
  let site: TestSite;
  let running: ServiceProcess;
  let service: string;

  beforeAll(async () => {
    door = await openDoor();
    site = await writeSite(
      {
        rules: ['rules.yml'],
        offers: { duration: 'PT5M', release: 'PT1S' },
        defaults: { scratch: '64MiB' },
        fetch: { 'allow-hosts': [door.host] },
        runners: { process: { python: '/bin/sh' } },
        destinations: {
          here: {
            runner: 'process',
            'task-types': ['python-program'],
            cores: MACHINES,
            memory: '2GiB',
            scratch: '2GiB',
          },
        },
      },
      { destinations: { here: { runner: 'process' } } },
    );
    ground = await openGround();
    running = ground.start({ environment: { SITE_FILE: site.siteFile } });
    service = await running.ready();
    await until('it is ready', async () => (await fetch(`${service}/readyz`)).ok || undefined);
  });
  afterAll(async () => {
    door.close();
    const { code, output } = await running.stop();
    await ground.close();
    await site.remove();
    if (code !== 0) throw new Error(`the service ended with ${code}:\n${output}`);
  });

  /** @param admitted this many machines get their program at once */
  const begin = async (admitted: number): Promise<string> => {
    door.admit(admitted);
    const offer = firstOffer(
      await sendAsk(
        service,
        JSON.stringify({
          task: {
            type: 'https://www.purl.org/ivoa-net/task-type/python-program',
            // The door counts machines, so the planner reads no program.
            spec: { program: `http://${door.host}/program`, 'check-imports': false },
          },
          resources: { compute: [{ replicas: MACHINES, 'min-cores': 1, 'min-memory': '0.25Gb' }] },
        }),
      ),
    );
    await sendAccept(offer);
    return sendJob(offer);
  };
  const directoryOf = (job: string): string =>
    join(ground.folder, 'data/jobs', job.split('/').at(-1) ?? '');
  /** The name of a machine's run; empty before it began. */
  const nameOf = (job: string, machine: number): string => {
    const file = join(directoryOf(job), `machine-${machine}/work/mine`);
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  };
  /** The machines that have begun, with the names of their runs, once there are `count`. */
  const begun = (job: string, count: number): Promise<ReadonlyMap<number, string>> =>
    until(`${count} machines run`, () => {
      const names = new Map(
        EVERY.map((machine) => [machine, nameOf(job, machine)] as const).filter(
          ([, name]) => name !== '',
        ),
      );
      return names.size >= count ? names : undefined;
    });
  const go = (job: string): void =>
    EVERY.forEach((machine) =>
      writeFileSync(join(directoryOf(job), `machine-${machine}/work/go`), ''),
    );
  const phaseOf = (job: string): Promise<string> => fetchPart(job, 'phase').catch(() => '');
  const untilPhase = (job: string, phase: string) =>
    until(`the job is ${phase}`, async () => (await phaseOf(job)) === phase || undefined);
  const scripts = () => ground.processes().filter(({ command }) => command.includes('/job.sh'));
  const untilNothingRuns = () =>
    until('nothing of it runs', () => scripts().length === 0 || undefined);
  const expectCompleted = async (
    job: string,
    before: ReadonlyMap<number, string>,
  ): Promise<void> => {
    await untilPhase(job, 'COMPLETED');
    for (const machine of EVERY)
      expect(await fetchResult(job, `machine-${machine}.stdout`)).toBe('done\n');
    for (const [machine, name] of before)
      expect(await fetchResult(job, `machine-${machine}.mine`)).toBe(name);
    expect(scripts()).toEqual([]);
    expect(await readBook(ground)).toEqual({ contradictions: 0, unended: 0, leftBehind: 0 });
  };

  test('goes on where it was when its executor is killed between two of them: each runs once', async () => {
    const job = await begin(2);
    const before = await begun(job, 2);
    await until('others wait for their program', () => door.waiting() > 1 || undefined);
    // The executor has looked at its jobs: the next executor reads what it writes about a job whose
    // machines have not all begun.
    await delay(TWO_BEATS_MS);
    expect(await phaseOf(job)).toBe('QUEUED');
    await kill(ground, 'executor');
    door.admit(Infinity);
    const after = await begun(job, MACHINES);
    for (const [machine, name] of before) expect(after.get(machine)).toBe(name);
    go(job);
    await expectCompleted(job, after);
    // Nobody fetched the program again for the running ones.
    expect(door.asked()).toBe(MACHINES - 2);
  });

  test('runs on when its executor is killed while all of them run', async () => {
    const job = await begin(MACHINES);
    const before = await begun(job, MACHINES);
    await untilPhase(job, 'EXECUTING');
    await kill(ground, 'executor');
    go(job);
    await expectCompleted(job, before);
    expect(door.asked()).toBe(MACHINES);
  });

  /** The end of the executor's lease of a job. */
  const leaseOf = async (job: string): Promise<number> => {
    const book = await connectBook(ground);
    try {
      const {
        rows: [row],
      } = await book.query<{ until: Date }>('SELECT lease_until AS until FROM job WHERE id = $1', [
        job.split('/').at(-1),
      ]);
      return row?.until.getTime() ?? 0;
    } finally {
      await book.end();
    }
  };
  const abort = (job: string) =>
    fetch(`${job}/phase`, { method: 'POST', body: new URLSearchParams({ PHASE: 'ABORT' }) });
  const destroy = (job: string) => fetch(job, { method: 'DELETE' });

  test('that is aborted while it starts leaves nothing running, and starts none of the others', async () => {
    const job = await begin(2);
    await begun(job, 2);
    await until('others wait for their program', () => door.waiting() > 1 || undefined);
    expect((await abort(job)).ok).toBe(true);
    await untilNothingRuns();
    // The wait must not cost the executor its other jobs.
    const lease = await leaseOf(job);
    await until('its executor beats', async () => (await leaseOf(job)) > lease || undefined);
    door.admit(Infinity);
    await untilPhase(job, 'ABORTED');
    await untilNothingRuns();
    expect(door.asked()).toBe(0);
    expect(await readBook(ground)).toEqual({ contradictions: 0, unended: 0, leftBehind: 0 });
  });

  test.each([
    ['while it runs', MACHINES],
    ['while it is being begun', 2],
  ])('that is destroyed %s leaves nothing on disc and nothing running', async (_when, admitted) => {
    const job = await begin(admitted);
    await begun(job, admitted);
    expect((await destroy(job)).ok).toBe(true);
    await until('those that ran are stopped', () => scripts().length === 0 || undefined);
    door.admit(Infinity);
    await until('its directory is gone', () => !existsSync(directoryOf(job)) || undefined);
    expect(scripts()).toEqual([]);
    expect((await fetch(job)).status).toBe(404);
    // Its offer stays without the job, and a new one has all the room.
    expect(await readBook(ground)).toMatchObject({ unended: 0, leftBehind: 0 });
  });
});
