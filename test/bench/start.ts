import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { PLANNER_OPTIONS } from '../../src/tree/planners.ts';
import { memoryOf, treeOf, type Member } from './processes/process-tree.ts';
import type { Fact } from './sample.ts';

const PLANNER = fileURLToPath(new URL('../../src/cli/planner.mjs', import.meta.url));
/** After this time the executor and the sweeper are up, too. */
const SETTLED_MS = 3000;
const POLL_MS = 10;

const PARTS: readonly (readonly [name: string, isPart: (command: string) => boolean])[] = [
  ['planner', (command) => command.includes('planner.mjs')],
  ['sandbox child', (command) => command.includes('--permission') && command.includes('--eval')],
  ['executor', (command) => command.includes('executor.ts')],
  ['sweeper', (command) => command.includes('sweeper.ts')],
  ['PostgreSQL, all processes', (command) => command.includes('postgres')],
];

type Memory = ReadonlyMap<string, number>;

/** Starts the service with an empty data directory, and again with the used one. */
export async function measureStart(folder: string, times: number): Promise<readonly Fact[]> {
  const home = join(folder, 'serve');
  const first = await startOnce(home);
  const later: (typeof first)[] = [];
  for (let time = 0; time < times; time += 1) later.push(await startOnce(home));
  const values = (part: string): readonly number[] =>
    later.flatMap(({ memory }) => memory.get(part) ?? []);
  return [
    {
      name: 'start to ready, empty data directory (initdb and migrations)',
      unit: 'ms',
      values: [first.ms],
    },
    { name: 'start to ready, later', unit: 'ms', values: later.map(({ ms }) => ms) },
    ...PARTS.map(([part]): Fact => ({
      name: `memory at rest: ${part}`,
      unit: 'MiB',
      values: values(part),
    })).filter(({ values }) => values.length > 0),
  ];
}

/**
 * `planner serve` as users start it: milliseconds until /readyz is ok, and the memory of each
 * process.
 */
async function startOnce(
  folder: string,
): Promise<{ readonly ms: number; readonly memory: Memory }> {
  const begun = performance.now();
  const child = spawn(process.execPath, [...PLANNER_OPTIONS, PLANNER, 'serve'], {
    env: { PATH: process.env['PATH'], DATA_DIR: folder, PORT: '0', LOG_LEVEL: 'info' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  try {
    await untilReady(child.stdout);
    const ms = performance.now() - begun;
    await sleep(SETTLED_MS);
    return { ms, memory: await memoryOfParts(await treeOf(child.pid ?? 0)) };
  } finally {
    child.kill('SIGTERM');
    await exited;
  }
}

/**
 * Reads the log up to the service's URL, waits until it is ready, and drops the rest of the log.
 */
async function untilReady(log: Readable): Promise<void> {
  const url = await new Promise<string>((done, failed) => {
    createInterface(log)
      .on('line', (line) => {
        const { msg, url } = Object(JSON.parse(line));
        if (msg === 'ready') done(String(url));
      })
      .once('close', () => failed(new Error('the service ended before it was ready')));
  });
  while (!(await fetch(`${url}/readyz`)).ok) await sleep(POLL_MS);
}

async function memoryOfParts(tree: readonly Member[]): Promise<Memory> {
  const memory = new Map<string, number>();
  for (const { pid, command } of tree) {
    const part = PARTS.find(([, isPart]) => isPart(command))?.[0];
    const size = await memoryOf(pid);
    if (part !== undefined && size !== undefined) memory.set(part, (memory.get(part) ?? 0) + size);
  }
  return memory;
}
