import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, lstatSync, openSync, readdirSync, readFileSync, watch } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { handOver } from '../../src/executor/handed-site.ts';
import { readSiteTexts } from '../../src/site/load.ts';
import { sweep } from '../../src/sweeper/sweep.ts';
import type { OfferId } from '../../src/words/ids.ts';
import { until } from '../cli/service-process.ts';
import { accept, placeOffers, writeSites } from '../harness/book.ts';
import { openTestDatabase, type TestDatabase } from '../harness/database.ts';
import { writeSite } from '../harness/site.ts';

/** An engine of a test with its part of a site file. */
export type Scene = {
  /** the destination's keys, without its amounts */
  readonly destination: object;
  readonly site?: object;
  readonly jobsRoot: string;
  readonly task: object;
  /** runs of each job, one for each machine */
  readonly machines: number;
  /** machines of each run, where it is parallel */
  readonly parallel?: number;
  /** number of devices `urn:gpu` of each machine */
  readonly gpus?: number;
  /** the most steps of a batch of jobs until all are over */
  readonly steps: number;
  /** remains of jobs at the engine */
  readonly left: () => Promise<readonly string[]>;
};

/** Writes a unique name of its run, sleeps briefly, and writes that it has ended. */
export const SHELL = 'cat /proc/sys/kernel/random/uuid >> line; sleep 0.2; echo end >> end';
export const PYTHON =
  "import time, uuid\nopen('line', 'a').write(str(uuid.uuid4()) + '\\n')\ntime.sleep(0.2)\n" +
  "open('end', 'a').write('end\\n')\n";

const WORKER = fileURLToPath(new URL('../../workers/executor.ts', import.meta.url));
const FAULTS = fileURLToPath(new URL('faults.mjs', import.meta.url));
const BATCH = 10;

type Fault = 'stop' | 'kill' | 'delay';
/** A fault of an executor, determined by its number. */
type Blow = { readonly fault: Fault; readonly at: number; readonly ms: number };

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function numbersFrom(seed: number) {
  let state = seed;
  return (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** How a job ended in the book, and the remains of its runs. */
export type Fate = {
  readonly job: OfferId;
  readonly state: string;
  readonly error: unknown;
  /** for each machine, the number of lines that runs wrote */ readonly lines: readonly number[];
  readonly ends: readonly number[];
  /** the number of directories with its name */ readonly made: number;
};

/**
 * Two executors of one host with one database and one directory of jobs, with a fault at any step.
 */
export async function openStage(scene: Scene) {
  const db: TestDatabase = await openTestDatabase();
  await writeSites(db.database, { here: 10_000 });
  const site = await writeSite(
    {
      rules: ['rules.yml'],
      ...scene.site,
      destinations: {
        here: {
          'task-types': ['executable'],
          cores: 10_000,
          memory: '9000GiB',
          scratch: '90000GiB',
          ...scene.destination,
        },
      },
    },
    { destinations: { here: { runner: 'any' } } },
  );
  await handOver(db.database, await readSiteTexts(site.siteFile));
  const log = openSync(join(site.folder, 'executors.log'), 'a');
  const start = async (): Promise<ChildProcess> => {
    const child = spawn(process.execPath, ['--no-warnings', '--import', FAULTS, WORKER], {
      env: {
        ...process.env,
        DATABASE_URL: db.url,
        SITE_FILE: site.siteFile,
        DATA_DIR: site.folder,
        JOBS_DIR: scene.jobsRoot,
        EXECUTOR_HOST: 'same',
        LOG_LEVEL: 'info',
      },
      stdio: ['ignore', log, log, 'ipc'],
    });
    await until('an executor is ready', async () => {
      if (child.exitCode !== null)
        throw new Error(
          `an executor ended: ${readFileSync(join(site.folder, 'executors.log'), 'utf8').slice(-2000)}`,
        );
      return (
        (
          await db.database.$queryRaw<
            unknown[]
          >`SELECT FROM executor WHERE starts_with(name, ${`same:${child.pid}:`})`
        ).length > 0 || undefined
      );
    });
    return child;
  };
  const executors = await Promise.all([start(), start()]);
  /** the directories with the name of a job, in order */
  const made = new Map<string, Set<string>>();
  const watcher = watch(scene.jobsRoot, (_event, name) => {
    const { ino, birthtimeMs } =
      lstatSync(join(scene.jobsRoot, String(name)), { throwIfNoEntry: false }) ?? {};
    if (ino !== undefined)
      made.set(String(name), (made.get(String(name)) ?? new Set()).add(`${ino} ${birthtimeMs}`));
  });
  const jobs: OfferId[] = [];
  let struck = 0;

  const accepted = async (): Promise<OfferId> => {
    const [id] = (await placeOffers(db.database, [{ destination: 'here', cores: 1 }])) ?? [];
    if (id === undefined) throw new Error('no offer');
    const gpus = scene.gpus === undefined ? {} : { gpus: { type: 'urn:gpu', count: scene.gpus } };
    await db.database.$executeRaw`
      UPDATE offer SET runner = ${String(Object(scene.destination).runner)},
        promise = jsonb_set(jsonb_set(promise, '{task}', ${JSON.stringify(scene.task)}::jsonb),
          '{parts,0}',
          (promise #> '{parts,0}') ||
          ${JSON.stringify({ replicas: scene.parallel ?? scene.machines, ...gpus })}::jsonb)
      WHERE id = ${id}::uuid`;
    await accept(db.database, id);
    jobs.push(id);
    return id;
  };
  /** Ends this executor's lease at once, which otherwise takes 10 s. */
  const lapse = async (pid: number | undefined): Promise<void> => {
    const name = `same:${pid}:`;
    await db.database
      .$executeRaw`UPDATE executor SET lease_until = clock_timestamp() WHERE starts_with(name, ${name})`;
    await db.database.$executeRaw`
        UPDATE job SET lease_until = clock_timestamp(), nudged_at = NULL
        WHERE starts_with(executor, ${name}) AND ended_at IS NULL`;
    await sweep(db.database);
  };
  const goingOf = async (
    batch: readonly OfferId[],
  ): Promise<readonly { id: OfferId; executor: string | null }[]> =>
    db.database
      .$queryRaw`SELECT id, executor FROM job WHERE id = ANY (${[...batch]}::uuid[]) AND ended_at IS NULL`;
  const isOver = async (batch: readonly OfferId[]): Promise<boolean> =>
    (await goingOf(batch)).length === 0;

  /** Restarts a killed executor. @returns false if it lives */
  const revive = async (index: number): Promise<boolean> => {
    const child = executors[index];
    if (child === undefined || (child.exitCode === null && child.signalCode === null)) return false;
    struck += 1;
    executors[index] = await start();
    await lapse(child.pid);
    return true;
  };

  /**
   * Lets a stopped executor continue once the other one has its jobs, or these are over. If both
   * are stopped, one continues.
   */
  const standStill = async (
    index: number,
    pid: number,
    batch: readonly OfferId[],
    long: boolean,
  ): Promise<void> => {
    struck += 1;
    await until('the other one has its jobs', async () => {
      await revive(1 - index);
      const other = executors[1 - index]?.pid;
      if (other !== undefined && isStopped(other)) process.kill(other, 'SIGCONT');
      await lapse(pid);
      const going = await goingOf(batch);
      return (
        (long
          ? going.length === 0
          : going.every(({ executor }) => executor?.startsWith(`same:${pid}:`) !== true)) ||
        undefined
      );
    });
    process.kill(pid, 'SIGCONT');
  };

  /** Cancels the fault that did not happen in a round; afterwards, the executor lives and runs. */
  const calm = async (index: number): Promise<void> => {
    const child = executors[index];
    let heard = false;
    child?.on('message', (at) => {
      heard ||= at === 0;
    });
    if (child?.connected === true) child.send({ at: 0, fault: 'delay', ms: 0 });
    await until('an executor has no fault ahead', async () => {
      if (await revive(index)) return true;
      if (child?.pid !== undefined && isStopped(child.pid)) process.kill(child.pid, 'SIGCONT');
      return heard || undefined;
    });
    child?.removeAllListeners('message');
  };

  /** One batch of jobs with a fault of one executor, or of both in turn. */
  const round = async (random: () => number): Promise<void> => {
    const blow = (): Blow => ({
      fault: (['stop', 'stop', 'kill', 'delay'] as const)[Math.floor(random() * 4)] ?? 'stop',
      at: stepOf(random, scene.steps),
      ms: 500 + Math.floor(random() * 2000),
    });
    const first = Math.floor(random() * 2);
    const long = random() < 0.5;
    const blows = new Map<number, Blow>([
      [first, blow()],
      ...(random() < 0.5 ? [[1 - first, blow()] as const] : []),
    ]);
    for (const [index, one] of blows) executors[index]?.send(one);
    const batch: OfferId[] = [];
    for (let count = 0; count < BATCH; count += 1) batch.push(await accepted());
    await until('the jobs are over', async () => {
      for (const index of [0, 1]) {
        const pid = executors[index]?.pid;
        if (!(await revive(index)) && pid !== undefined && isStopped(pid))
          await standStill(index, pid, batch, long);
      }
      await sweep(db.database);
      return (await isOver(batch)) || undefined;
    });
    await Promise.all([calm(0), calm(1)]);
  };

  const linesOf = (job: OfferId, file: string): readonly number[] => {
    const root = join(scene.jobsRoot, job);
    const works =
      scene.machines === 1
        ? [join(root, 'work')]
        : Array.from({ length: scene.machines }, (_, machine) =>
            join(root, `machine-${machine}/work`),
          );
    return works.map((work) =>
      existsSync(join(work, file))
        ? readFileSync(join(work, file), 'utf8').split('\n').length - 1
        : 0,
    );
  };
  const fates = async (): Promise<readonly Fate[]> => {
    const rows = await db.database.$queryRaw<
      { id: OfferId; state: string; error: unknown }[]
    >`SELECT id, state::text, error FROM job JOIN offer USING (id)`;
    return rows.map(({ id, state, error }) => ({
      job: id,
      state,
      error,
      lines: linesOf(id, 'line'),
      ends: linesOf(id, 'end'),
      made: made.get(id)?.size ?? 0,
    }));
  };
  const names = (folder: string): readonly string[] =>
    existsSync(join(scene.jobsRoot, folder))
      ? readdirSync(join(scene.jobsRoot, folder)).map((name) => `${folder}/${name}`)
      : [];
  return {
    jobs,
    round,
    fates,
    /** how often an executor stopped or died while it had jobs */
    struck: (): number => struck,
    log: (): string => readFileSync(join(site.folder, 'executors.log'), 'utf8'),
    /** whether the executors live, for messages */
    executors: (): string =>
      executors
        .map(
          ({ pid, exitCode, signalCode }) =>
            `executor ${pid}: ${exitCode ?? signalCode ?? (pid !== undefined && isStopped(pid) ? 'stopped' : 'alive')}`,
        )
        .join(', '),
    /**
     * Loans, drafts, and remains at engines, after executors had time to clean up for dead ones: 60
     * s and a round of 10 s.
     */
    left: async (): Promise<readonly string[]> => {
      const all = async (): Promise<readonly string[]> => [
        ...names('.uids'),
        ...names('.devices'),
        ...names('.drafts'),
        ...(await scene.left()),
      ];
      for (let waited = 0; waited < 300_000 && (await all()).length > 0; waited += 500)
        await delay(500);
      return all();
    },
    close: async () => {
      watcher.close();
      for (const child of executors) {
        child.kill('SIGTERM');
        if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      }
      await db.close();
      await site.remove();
    },
  };
}

function isStopped(pid: number): boolean {
  return /^\d+ \(.*\) T/s.test(
    existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'utf8') : '',
  );
}

/** Half of the steps are early ones, where runs are prepared and begun. */
function stepOf(random: () => number, steps: number): number {
  return 1 + Math.floor(random() < 0.5 ? random() * steps : steps ** random());
}
