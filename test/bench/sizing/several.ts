import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { ensureDatabase } from '../../../src/db/migrate.ts';
import { PLANNER_OPTIONS } from '../../../src/tree/planners.ts';
import { emptyBook } from '../measures/book.ts';
import { memoryOf, processorTimeOf, treeOf } from '../processes/process-tree.ts';
import { writeBenchSite, YES_ASK } from '../site.ts';
import { print, withBench } from './bench.ts';
import { openLockWatch } from './lock-watch.ts';

/*
 * node --no-warnings test/bench/sizing/several.ts [--planners 2] [--cores 0,1] [--rounds 7]
 * [--amount 1500] [--destinations 10]
 *
 * A service with PLANNERS=n beside one with PLANNERS=1, in turns, both on the same cores (taskset):
 * asks a second, processor time, and the share of its statements' time that the book waits for locks.
 */

const { values } = parseArgs({
  options: {
    planners: { type: 'string', default: '2' },
    cores: { type: 'string', default: '0,1' },
    rounds: { type: 'string', default: '7' },
    amount: { type: 'string', default: '1500' },
    destinations: { type: 'string', default: '10' },
  },
});
const [count, rounds, amount, destinations] = [
  Number(values.planners),
  Number(values.rounds),
  Number(values.amount),
  Number(values.destinations),
];
const PROGRAM = fileURLToPath(new URL('../../../src/cli/planner.mjs', import.meta.url));
const CONNECTIONS = 32;

type Round = {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly processorMs: number;
  readonly memory: number;
  readonly locks: number;
  readonly latches: number;
};

await withBench(async ({ cluster, folder, openLoad, onEnd }) => {
  const load = openLoad();

  /** Starts a service on the cores. @returns measures it once */
  const start = async (planners: number): Promise<() => Promise<Round>> => {
    const home = join(folder, `planners-${planners}`);
    const { siteFile } = await writeBenchSite(home, destinations);
    await mkdir(join(home, 'jobs'), { recursive: true });
    await ensureDatabase(cluster.url('postgres'), `planners_${planners}`);
    const database = cluster.url(`planners_${planners}`);
    const child = spawn(
      'taskset',
      ['-c', values.cores, process.execPath, ...PLANNER_OPTIONS, PROGRAM, 'serve'],
      {
        env: {
          PATH: process.env['PATH'],
          DATA_DIR: home,
          DATABASE_URL: database,
          SITE_FILE: siteFile,
          PLANNERS: String(planners),
          PORT: '0',
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const exited = once(child, 'exit');
    onEnd(async () => {
      child.kill('SIGTERM');
      await exited;
    });
    const url = await new Promise<string>((done, failed) => {
      createInterface(child.stdout)
        .on('line', (line) => {
          const { msg, url: at } = Object(JSON.parse(line));
          if (msg === 'ready') done(String(at));
        })
        .once('close', () => failed(new Error('the service ended')));
    });
    const client = new Client({ connectionString: database });
    await client.connect();
    onEnd(() => client.end());
    const processorTime = async (): Promise<number> => {
      const tree = await treeOf(child.pid ?? 0);
      const times = await Promise.all(tree.map(({ pid }) => processorTimeOf(pid)));
      return times.reduce((sum, time) => sum + time, 0);
    };
    return async () => {
      await emptyBook(client);
      const watch = openLockWatch(client);
      const before = await processorTime();
      const sample = await load.send({
        url: `${url}/request`,
        method: 'POST',
        body: YES_ASK,
        amount,
        connections: CONNECTIONS,
      });
      const processorMs = ((await processorTime()) - before) / amount;
      const tree = await treeOf(child.pid ?? 0);
      const sizes = await Promise.all(tree.map(({ pid }) => memoryOf(pid)));
      const memory = sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
      return { ...sample, processorMs, memory, ...(await watch.end()) };
    };
  };

  const [one, several] = [await start(1), await start(count)];
  const pairs: { readonly one: Round; readonly several: Round }[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    // Both are first in turn.
    const isFirst = round % 2 === 0;
    const early = await (isFirst ? one() : several());
    const late = await (isFirst ? several() : one());
    if (round > 0)
      pairs.push(isFirst ? { one: early, several: late } : { one: late, several: early });
  }
  execFileSync('uptime', { stdio: 'inherit' });
  const facts = (name: string, unit: 'ms' | 'MiB' | 'times', of: (round: Round) => number) =>
    (['one', 'several'] as const).map((which) => ({
      name: `${which === 'one' ? 'PLANNERS=1' : `PLANNERS=${count}`}, cores ${values.cores}: ${name}`,
      unit,
      values: pairs.map((pair) => of(pair[which])),
    }));
  print([
    ...facts('asks a second', 'times', ({ perSecond }) => perSecond),
    {
      name: `asks a second of PLANNERS=${count}, of those of one`,
      unit: 'times',
      values: pairs.map((pair) => pair.several.perSecond / pair.one.perSecond),
    },
    ...facts('p50', 'ms', ({ p50 }) => p50),
    ...facts('p99', 'ms', ({ p99 }) => p99),
    ...facts('processor time of an ask without PostgreSQL', 'ms', (round) => round.processorMs),
    ...facts('memory without PostgreSQL', 'MiB', ({ memory }) => memory),
    ...facts('part of the time in a statement that waits for a lock', 'times', (r) => r.locks),
    ...facts('part that waits for a latch of PostgreSQL', 'times', ({ latches }) => latches),
  ]);
});
