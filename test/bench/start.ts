import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from './port.ts';
import { memoryOf, treeOf, type Member } from './process-tree.ts';
import type { Fact } from './sample.ts';

const PLANNER = fileURLToPath(new URL('../../src/cli/planner.mjs', import.meta.url));
const LIMIT_MS = 60_000;
/** After this the executor and the sweeper are up too. */
const SETTLED_MS = 3000;

const PARTS: readonly (readonly [name: string, isPart: (command: string) => boolean])[] = [
  ['planner', (command) => command.includes('planner.mjs')],
  ['sandbox child', (command) => command.includes('--permission') && command.includes('--eval')],
  ['executor', (command) => command.includes('executor.ts')],
  ['sweeper', (command) => command.includes('sweeper.ts')],
  ['PostgreSQL, all processes', (command) => command.includes('postgres')],
];

const untilReady = async (url: string): Promise<void> => {
  for (const begun = performance.now(); performance.now() - begun < LIMIT_MS;) {
    const ready = await fetch(`${url}/readyz`).then((response) => response.ok, () => false);
    if (ready) return;
    await sleep(10);
  }
  throw new Error(`the service was not ready after ${LIMIT_MS} ms`);
};

type Memory = ReadonlyMap<string, number>;

const memoryOfParts = async (tree: readonly Member[]): Promise<Memory> => {
  const sizes = await Promise.all(tree.map(async ({ pid, command }) => ({ part: PARTS.find(([, isPart]) => isPart(command))?.[0], size: await memoryOf(pid) })));
  const memory = new Map<string, number>();
  for (const { part, size } of sizes) if (part !== undefined && size !== undefined) memory.set(part, (memory.get(part) ?? 0) + size);
  return memory;
};

/** `planner serve` as users start it: milliseconds until /readyz says so, and the memory of each of its processes. */
const startOnce = async (folder: string): Promise<{ readonly ms: number; readonly memory: Memory }> => {
  const port = await freePort();
  const begun = performance.now();
  const child = spawn(process.execPath, ['--no-warnings', PLANNER, 'serve'], {
    env: { PATH: process.env['PATH'], DATA_DIR: folder, PORT: `${port}`, LOG_LEVEL: 'warn' }, stdio: ['ignore', 'ignore', 'inherit'],
  });
  const exited = once(child, 'exit');
  try {
    await untilReady(`http://127.0.0.1:${port}`);
    const ms = performance.now() - begun;
    await sleep(SETTLED_MS);
    return { ms, memory: await memoryOfParts(await treeOf(child.pid ?? 0)) };
  } finally {
    child.kill('SIGTERM');
    await exited;
  }
};

/** Starts the service with an empty data directory, and again with what it left there. */
export const measureStart = async (folder: string, times: number): Promise<readonly Fact[]> => {
  const home = join(folder, 'serve');
  const first = await startOnce(home);
  const later: (typeof first)[] = [];
  for (let time = 0; time < times; time += 1) later.push(await startOnce(home));
  const values = (part: string): readonly number[] => later.flatMap(({ memory }) => memory.get(part) ?? []);
  return [
    { name: 'start to ready, empty data directory (initdb and migrations)', unit: 'ms', values: [first.ms] },
    { name: 'start to ready, later', unit: 'ms', values: later.map(({ ms }) => ms) },
    ...PARTS.map(([part]): Fact => ({ name: `memory at rest: ${part}`, unit: 'MiB', values: values(part) })).filter(({ values }) => values.length > 0),
  ];
};
