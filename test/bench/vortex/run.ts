import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Decision, RuleSource } from '../../../src/vortex/index.ts';
import { median, quantile } from '../sample.ts';
import { throughChild } from './child.ts';
import { productionFiles } from './files.ts';
import { growingJobs, growingSite } from './growth.ts';
import { inIsolate } from './isolate.ts';
import type { IsolateTask } from './isolate.ts';
import { differentJobs, JOBS } from './jobs.ts';
import { findRealTpv, runRealTpv } from './real.ts';

/*
 * node --no-warnings test/bench/vortex/run.ts [--rounds 3] [--quick] [--out <folder>]
 *
 * Compares the engine with the real TPV: same files, same jobs, one run; then how it grows.
 * TPV_PYTHON names a Python with the package total-perspective-vortex. See ../README.md.
 */

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    quick: { type: 'boolean', default: false },
    out: { type: 'string', default: join('.data', 'bench') },
  },
});
const rounds = Number(options.rounds);
const passes = options.quick ? 4 : 40;
const IN_FLIGHT = 32;
/** Different jobs, more than the engine caches, so that a second pass finds none in the cache. */
const DIFFERENT = 4_000;

type Line = {
  readonly name: string;
  readonly perSecond: number[];
  readonly p50: number[];
  readonly p99: number[];
  readonly loadMs: number[];
  readonly ratio: number[];
  /** Processor time of a decision, µs; it depends least on other load. */
  readonly cpu: number[];
  readonly cpuRatio: number[];
};

/** Rate and processor time (µs a decision) of the real TPV in the same round. */
type Reference = { readonly perSecond: number; readonly cpu: number } | null;

const lines = new Map<string, Line>();

const before = loadavg()[0] ?? 0;
const sources = productionFiles();
if (sources === undefined)
  console.log('The recorded production files are not here: only the growth is measured.\n');
else await beside(sources);
const grown = await growth();
const text = [
  `${new Date().toISOString()}, ${cpus().length} cores (${cpus()[0]?.model ?? ''}), Node ` +
    `${process.version}; load average before: ${before.toFixed(2)}; ${rounds} rounds of ` +
    `${passes} passes over ${JOBS.length} jobs, median (range).`,
  '',
  '| | decisions per second | p50 ms | p99 ms | load ms | times the real TPV | CPU µs | times less CPU |',
  '|---|---|---|---|---|---|---|---|',
  ...[...lines.values()].map(
    ({ name, perSecond, p50, p99, loadMs, ratio, cpu, cpuRatio }) =>
      `| ${name} | ${spread(perSecond, 0)} | ${spread(p50, 3)} | ` +
      `${spread(p99, 3)} | ${spread(loadMs, 0)} | ${spread(ratio, 0)} | ` +
      `${spread(cpu, 0)} | ${spread(cpuRatio, 0)} |`,
  ),
  '',
  ...grown,
  '',
].join('\n');
await mkdir(options.out, { recursive: true });
await writeFile(join(options.out, 'vortex.md'), text);
console.log(text);

async function growth(): Promise<readonly string[]> {
  const sizes = [
    [10, 1_000],
    [100, 1_000],
    [1_000, 1_000],
    [10_000, 1_000],
    [100, 3_000],
    [100, 10_000],
  ] as const;
  const table = [
    '| destinations | tools | load ms | map µs | of 10 destinations | --jitless map µs | of ' +
      '10 destinations | every destination, µs |',
    '|---|---|---|---|---|---|---|---|',
  ];
  const first = { jit: 0, jitless: 0 };
  for (const [destinations, tools] of sizes) {
    const sources = [growingSite(destinations, tools)];
    const task = (question: 'map' | 'consider') => ({
      ...taskOf(sources, growingJobs(tools), question, false),
      memoryMb: 1024,
    });
    const jit = await inIsolate(task('map'), false);
    const jitless = await inIsolate(task('map'), true);
    const all = await inIsolate(
      { ...task('consider'), rounds: destinations > 1000 ? 1 : 4, warmUps: 1 },
      false,
    );
    const [mean, slow, every] = [jit, jitless, all].map(({ times }) => 1e6 / rate(times));
    if (mean === undefined || slow === undefined || every === undefined)
      throw new Error('nothing was measured');
    if (first.jit === 0) Object.assign(first, { jit: mean, jitless: slow });
    table.push(
      `| ${destinations} | ${tools} | ${jit.loadMs.toFixed(0)} | ${mean.toFixed(1)} | ` +
        `${(mean / first.jit).toFixed(2)} | ${slow.toFixed(0)} | ` +
        `${(slow / first.jitless).toFixed(2)} | ${every.toFixed(0)} |`,
    );
    process.stderr.write(`${table.at(-1)}\n`);
  }
  return table;
}

function taskOf(
  sources: readonly RuleSource[],
  jobs: readonly unknown[],
  question: 'map' | 'consider',
  explain: boolean,
): Omit<IsolateTask, 'modules'> {
  return {
    request: JSON.stringify({ sources }),
    about: JSON.stringify({ question, seed: 1, now: Date.parse('2026-01-05T12:00:00Z'), explain }),
    jobs: jobs.map((job) => JSON.stringify(job)),
    warmUps: passes / 2,
    rounds: passes,
    memoryMb: 256,
  };
}

function rate(times: readonly number[]): number {
  return (1000 * times.length) / times.reduce((sum, time) => sum + time, 0);
}

async function beside(sources: readonly RuleSource[]): Promise<void> {
  const python = findRealTpv();
  if (python === undefined)
    console.log('The real TPV is not here (set TPV_PYTHON): nothing to compare with.\n');
  for (let round = 0; round < rounds; round += 1) {
    const real =
      python === undefined
        ? null
        : await runRealTpv(
            python,
            sources.map(({ name }) => name),
            JOBS,
            options.quick ? 1 : 3,
          );
    const reference =
      real === null
        ? null
        : { perSecond: rate(real.times), cpu: (1000 * real.cpuMs) / real.times.length };
    if (real !== null) {
      note(
        `TPV ${real.version}, Python ${real.python}`,
        real.times,
        rate(real.times),
        real.cpuMs,
        real.loadMs,
        reference,
      );
    }
    for (const jitless of [false, true]) {
      const mode = jitless ? ', --jitless' : '';
      for (const [name, question, explain] of [
        ['map', 'map', false],
        ['map with explanation', 'map', true],
        ['every destination, with explanation', 'consider', true],
      ] as const) {
        const times = await inIsolate(taskOf(sources, JOBS, question, explain), jitless);
        const counted = question === 'map' ? reference : null;
        note(
          `isolate${mode}: ${name}`,
          times.times,
          rate(times.times),
          times.cpuMs,
          times.loadMs,
          counted,
        );
        const differing =
          question === 'consider' || real === null
            ? []
            : times.answers.filter((answer, index) => answerOf(answer) !== real.answers[index]);
        if (differing.length > 0)
          throw new Error(
            `${differing.length} answers are not TPV's: ${differing[0]?.slice(0, 300)}`,
          );
      }
      const different = {
        ...taskOf(sources, differentJobs(DIFFERENT), 'map', false),
        warmUps: 1,
        rounds: 1,
      };
      const { times, cpuMs, loadMs } = await inIsolate(different, jitless);
      note(`isolate${mode}: map, no two jobs alike`, times, rate(times), cpuMs, loadMs, reference);
      for (const [name, task] of [
        ['map', taskOf(sources, JOBS, 'map', false)],
        ['map with explanation', taskOf(sources, JOBS, 'map', true)],
        ['map, no two jobs alike', different],
      ] as const) {
        const child = await throughChild(task, jitless ? 'never' : 'enclosed', IN_FLIGHT);
        note(
          `child process${mode}, ${IN_FLIGHT} in flight: ${name}`,
          child.latencies,
          child.perSecond,
          child.cpuMs,
          null,
          reference,
        );
      }
    }
  }
}

function note(
  name: string,
  times: readonly number[],
  perSecond: number,
  cpuMs: number,
  loadMs: number | null,
  real: Reference,
): void {
  const line = lines.get(name) ?? {
    name,
    perSecond: [],
    p50: [],
    p99: [],
    loadMs: [],
    ratio: [],
    cpu: [],
    cpuRatio: [],
  };
  lines.set(name, line);
  const cpu = (1000 * cpuMs) / times.length;
  line.perSecond.push(perSecond);
  line.p50.push(quantile(times, 0.5));
  line.p99.push(quantile(times, 0.99));
  line.cpu.push(cpu);
  if (loadMs !== null) line.loadMs.push(loadMs);
  if (real !== null) {
    line.ratio.push(perSecond / real.perSecond);
    line.cpuRatio.push(real.cpu / cpu);
  }
  process.stderr.write(
    `${Math.round(perSecond).toString().padStart(7)}/s  ${cpu.toFixed(0).padStart(6)} µs  ${name}\n`,
  );
}

/** The destination or the exception, in the form of real_tpv.py. */
function answerOf(json: string): string {
  const decision: Decision = JSON.parse(json);
  if (decision.kind === 'destination') return decision.chosen.name;
  if (decision.kind === 'error') return decision.className;
  return decision.kind === 'fail' ? 'JobMappingException' : 'JobNotReadyException';
}

function spread(values: readonly number[], digits: number): string {
  return values.length === 0
    ? ''
    : `${median(values).toFixed(digits)} ` +
        `(${Math.min(...values).toFixed(digits)}–${Math.max(...values).toFixed(digits)})`;
}
