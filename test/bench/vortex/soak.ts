import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openSwappableRules } from '../../../src/rules/hot-swap.ts';
import { openSandbox } from '../../../src/sandbox/sandbox.ts';
import { seeded } from '../../../src/sandbox/seeded.ts';
import { loadRules, map } from '../../../src/vortex/index.ts';
import type { JobDescription, Rules } from '../../../src/vortex/index.ts';
import { memoryOf } from '../processes/process-tree.ts';
import { growingSite } from './growth.ts';

/*
 * nice node --no-warnings --expose-gc test/bench/vortex/soak.ts [--reloads 10000] [--decisions
 * 1000000] [--only 'in process'] [--jit] [--out <folder>]
 *
 * Does memory grow? Reloads and decisions by the engine in this process and through the sandbox
 * child, with the memory at ten points of each. Every job is different: new tools, users, roles and
 * sizes all the time.
 */

const { values: options } = parseArgs({
  options: {
    reloads: { type: 'string', default: '10000' },
    decisions: { type: 'string', default: '1000000' },
    jit: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    out: { type: 'string', default: join('.data', 'bench') },
  },
});
const reloads = Number(options.reloads);
const decisions = Number(options.decisions);

type Point = {
  readonly done: number;
  readonly heap: number | undefined;
  readonly memory: number | undefined;
};
const tables: string[] = [];

let rules = loaded(0);
await repeat(
  'reloads, in process',
  reloads,
  (number) => {
    rules = loaded(number);
    map(rules, job(number), { random: seeded(number), now: () => number });
  },
  here,
);
await repeat(
  'decisions, in process',
  decisions,
  (number) => {
    map(rules, job(number), { random: seeded(number), now: () => number, explain: false });
  },
  here,
);

/**
 * On a busy machine a decision may be delayed beyond its limit. But isolated-vm keeps the timer of
 * each decision, with the answer's text, until the limit: with 10 s the C library's heap grew with
 * all decisions of 10 s.
 */
const limits = { decisionMs: 2_000, loadMs: 60_000 };
const sandbox = openSandbox({ jit: options.jit ? 'always' : 'never', ...limits });
await repeat(
  'reloads, sandbox child',
  reloads,
  async (number) => {
    await reload(number);
    await sandbox.map(job(number), { seed: number, now: number });
  },
  child,
);
await reload(0);
const waiting = new Set<Promise<unknown>>();
await repeat(
  'decisions, sandbox child',
  decisions,
  async (number) => {
    const decided = sandbox.map(job(number), { seed: number, now: number }).then((decision) => {
      if (decision.kind !== 'destination')
        throw new Error(`decision ${number}: ${JSON.stringify(decision)}`);
      waiting.delete(decided);
    });
    waiting.add(decided);
    if (waiting.size >= 16) await Promise.race(waiting);
  },
  child,
);
await Promise.all(waiting);
const { respawns } = sandbox.stats();
await sandbox.close();

// Like the service: each set of rules in its own child, which replaces the last one.
const beside = openSwappableRules(() =>
  openSandbox({ jit: options.jit ? 'always' : 'never', ...limits }),
);
await repeat(
  'reloads, a child each',
  Math.ceil(reloads / 10),
  async (number) => {
    const trial = await beside.tryOut([site(number)]);
    if (trial.kind !== 'ready') throw new Error(`reload ${number}: ${JSON.stringify(trial)}`);
    trial.adopt();
    await beside.sandbox.map(job(number), { seed: number, now: number });
  },
  here,
);
await beside.close();

const text =
  `${new Date().toISOString()}, Node ${process.version}; respawns of the child: ` +
  `${respawns}\n\n${tables.join('\n')}\n`;
await mkdir(options.out, { recursive: true });
await writeFile(join(options.out, 'soak.txt'), text);
console.log(text);

function loaded(number: number): Rules {
  const result = loadRules([site(number)]);
  if (!result.ok) throw new Error('the made-up site does not load');
  return result.rules;
}

/** A different file each time, as in a reload. */
function site(number: number) {
  const { name, text } = growingSite(20, 50);
  return { name, text: text.replace('cores: 8', `cores: ${2 + (number % 40)}`) };
}

function job(number: number): JobDescription {
  return {
    tool: {
      id: `toolshed.example.org/repos/owner${number % 97}/suite_${number % 50}/tool_${number % 50}/1.${number}`,
      version: `1.${number}`,
      requirements: [],
    },
    user: {
      email: `user${number % 30_011}@example.org`,
      username: `user${number % 30_011}`,
      id: number % 30_011,
    },
    roles: [{ name: `role${number % 1_009}` }],
    inputs: [{ name: 'input', sizeBytes: (number % 7_919) * 2 ** 22 }],
  };
}

/** Does `work` this many times and reads the memory after every tenth part. */
async function repeat(
  name: string,
  count: number,
  work: (number: number) => unknown,
  read: () => Promise<Omit<Point, 'done'>>,
): Promise<void> {
  if (!name.includes(options.only)) return;
  const points: Point[] = [];
  const begun = performance.now();
  for (let number = 1; number <= count; number += 1) {
    await work(number);
    if (number % Math.ceil(count / 10) === 0) {
      const point = { done: number, ...(await read()) };
      points.push(point);
      process.stderr.write(
        `${name}: ${number}, heap ${point.heap?.toFixed(1) ?? '-'} MB, memory ${point.memory?.toFixed(1) ?? '-'} MB\n`,
      );
    }
  }
  report(name, points, (performance.now() - begun) / 1000);
}

function report(name: string, points: readonly Point[], seconds: number): void {
  const numbers = (values: readonly (number | undefined)[]): string =>
    values.map((mb) => mb?.toFixed(1) ?? '?').join(' ');
  tables.push(
    `${name}, ${seconds.toFixed(0)} s:`,
    `  after ${points.map(({ done }) => done).join(' ')}`,
    ...(points.some(({ heap }) => heap !== undefined)
      ? [`  heap MB ${numbers(points.map(({ heap }) => heap))}`]
      : []),
    `  memory MB ${numbers(points.map(({ memory }) => memory))}`,
  );
}

async function here(): Promise<Omit<Point, 'done'>> {
  globalThis.gc?.();
  return { heap: process.memoryUsage().heapUsed / 2 ** 20, memory: await memoryOf(process.pid) };
}

async function child(): Promise<Omit<Point, 'done'>> {
  const pid = sandbox.pid();
  return { heap: undefined, memory: pid === null ? undefined : await memoryOf(pid) };
}

async function reload(number: number): Promise<void> {
  const report = await sandbox.load([site(number)]);
  if (report.kind !== 'loaded') throw new Error(`reload ${number}: ${JSON.stringify(report)}`);
}
