import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startEmbedded, type Embedded } from '../../src/db/embedded.ts';
import { compareWith } from './against/compare.ts';
import { drawFlames } from './flame/flames.ts';
import { accepts } from './measures/accepts.ts';
import { measureAskedNeeds } from './measures/asked-needs.ts';
import { asks } from './measures/asks.ts';
import { measureStored, measureSweep } from './measures/backlog.ts';
import { commits } from './measures/commits.ts';
import { measureCosts, measureCurve, measureWidth } from './measures/costs.ts';
import { openEngine } from './engine.ts';
import { floors } from './measures/floors.ts';
import { measureFormats } from './measures/formats.ts';
import { openLoadGenerator, type LoadGenerator } from './load.ts';
import { readMachine } from './machine.ts';
import { askOnce, startPlanner, type BenchPlanner } from './planners.ts';
import { linesOf, markdown, pageOf, type Measured } from './report.ts';
import type { Fact, Sample, Series } from './sample.ts';
import { startServer } from './processes/server.ts';
import { YES_ASK } from './site.ts';
import { measureStart } from './start.ts';
import { statements } from './measures/statements.ts';
import { measureAfterLoad, measureWaiters } from './measures/waiting.ts';
import { jobReads, measureWait } from './processes/worker.ts';

/*
 * npm run bench [-- --quick] [--rounds 5] [--only <pattern>] [--out <folder>] [--profile <folder>]
 * npm run bench -- --page      the whole bench, written to docs/measurements as well
 * npm run bench -- --flame     flame graphs of the planner, in the folder of --out
 * npm run bench -- --against <commit or work tree> [--rounds 7] [--destinations 10] [--only <load>]
 *
 * Everything in one run on one PostgreSQL with fsync, so that ratios are meaningful; see README.md
 * in this folder.
 */

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    only: { type: 'string', default: '' },
    out: { type: 'string', default: join('.data', 'bench') },
    profile: { type: 'string' },
    page: { type: 'boolean', default: false },
    flame: { type: 'boolean', default: false },
    against: { type: 'string' },
    destinations: { type: 'string', default: '10' },
  },
});
const rounds = Number(options.rounds ?? (options.quick ? 1 : 5));
if (!Number.isInteger(rounds) || rounds < 1) {
  throw new Error(`--rounds must be a whole number above 0, not '${options.rounds}'`);
}
/** Asks a second of the paced measurements, and for how many seconds. */
const PACES = [100, 300, 600, 900];
const PACED_S = 20;
/** Pages of what was measured when. */
const PAGES = fileURLToPath(new URL('../../docs/measurements', import.meta.url));
const only = new RegExp(options.only);
/**
 * Rounds of everything before those that count: code is compiled, connections are open, files have
 * grown. In its first 10,000 asks, V8 compiles a planner's code again and again.
 */
const WARM_UP_ROUNDS = options.quick ? 1 : 3;
/** Numbers of destinations of the measured sites. */
const SITES = [10, 100, 1000];
const profiling =
  options.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${options.profile}`];

const steps: (() => unknown)[] = [];
let ending: Promise<void> | undefined;

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void cleanUp().finally(() => process.exit(1)));
}
try {
  if (options.against === undefined) await bench();
  else
    await compareWith(options.against, {
      rounds,
      amount: scaled(900),
      destinations: Number(options.destinations),
      only,
    });
} finally {
  await cleanUp();
}

async function bench(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'planner-bench-'));
  onEnd(() => rm(folder, { recursive: true, force: true }));
  // Jobs run as their own users, who must reach their folders.
  await chmod(folder, 0o755);
  const cluster = await startEmbedded({ directory: folder });
  onEnd(cluster.stop);
  const load = openLoadGenerator();
  onEnd(load.close);
  if (options.flame) {
    console.log((await drawFlames(cluster, folder, load, options.out)).join('\n'));
    return;
  }
  const planners: BenchPlanner[] = [];
  for (const destinations of SITES) {
    const planner = await startPlanner(cluster, folder, destinations, profiling);
    onEnd(planner.stop);
    planners.push(planner);
  }
  const [ten, hundred, thousand] = planners;
  if (ten === undefined || hundred === undefined || thousand === undefined)
    throw new Error('the planners did not start');
  const express = await startServer('express-process', {
    ANSWER_BYTES: `${(await askOnce(ten, YES_ASK)).length}`,
    DATABASE_URL: hundred.database,
  });
  onEnd(express.stop);
  const engine = await openEngine(planners, scaled(400));
  onEnd(engine.close);
  const machine = await readMachine(ten.client);

  const measured = await measureAll(
    [
      ...floors(express, load, scaled(3000)),
      ...commits(ten.database, scaled(2000)),
      ...planners.flatMap((planner) => [
        ...asks(planner, load, askAmount(planner)),
        ...statements(planner, askAmount(planner)),
      ]),
      ...accepts(hundred, express, load, scaled(1000)),
      ...jobReads(ten, load, scaled(2000)),
      ...engine.series,
    ].filter(({ name }) => only.test(name)),
  );
  const facts: Fact[] = [];
  for (const [name, measure] of [
    ['WAIT', () => measureWait(ten, scaled(200))],
    ['waiters', () => measureWaiters(ten, scaled(10_000))],
    ['memory after the load', () => measureAfterLoad(ten)],
    ['pace', () => measureCurve(ten, load, PACES, (pace) => scaled(pace * PACED_S))],
    ['formats', () => measureFormats(ten, load, scaled(600))],
    ['width', () => measureWidth(ten, thousand, load, scaled(400))],
    [
      'costs',
      async () => [
        ...(await measureCosts(ten, load, scaled(2000))),
        ...(await measureCosts(hundred, load, scaled(1000))),
        ...(await measureCosts(thousand, load, scaled(400))),
      ],
    ],
    ['needs', () => measureAskedNeeds(ten, load, scaled(400))],
    ['backlog', () => (options.quick ? [] : measureBacklog(cluster, folder, load))],
    ['start', () => measureStart(folder, options.quick ? 1 : 3)],
  ] satisfies readonly (readonly [string, () => readonly Fact[] | Promise<readonly Fact[]>])[]) {
    if (only.test(name)) facts.push(...(await measure()));
  }

  const lines = linesOf(measured);
  const text = markdown(machine, rounds, lines, facts);
  await mkdir(options.out, { recursive: true });
  const data = JSON.stringify({ machine, rounds, lines, facts }, undefined, 2);
  await writeFile(join(options.out, 'bench.json'), `${data}\n`);
  await writeFile(join(options.out, 'bench.md'), text);
  if (options.page)
    await writeFile(join(PAGES, `${machine.at.slice(0, 10)}-bench.md`), pageOf(text, machine));
  console.log(text);
}

function onEnd(step: () => unknown): void {
  void steps.unshift(step);
}

/**
 * Requests of a measurement in one round: about a second's, or a tenth of it, and at least one for
 * each connection.
 */
function scaled(full: number): number {
  return Math.max(32, Math.ceil(full / (options.quick ? 10 : 1)));
}

async function measureAll(all: readonly Series[]): Promise<readonly Measured[]> {
  const measured = all.map((series) => ({ series, samples: new Array<Sample>() }));
  for (let round = 1 - WARM_UP_ROUNDS; round <= rounds; round += 1) {
    for (const { series, samples } of measured) {
      const sample = await series.measure();
      if (round > 0) samples.push(sample);
      const rate = Math.round(sample.perSecond).toString().padStart(7);
      process.stderr.write(
        `${round <= 0 ? 'warm-up' : `round ${round}`}  ${rate}/s  ${series.name}\n`,
      );
    }
  }
  return measured;
}

/** The more destinations, the longer the rules take. */
function askAmount({ destinations }: BenchPlanner): number {
  return scaled(destinations > 100 ? 200 : destinations > 10 ? 400 : 2000);
}

/** The cost of a backlog, with planners of its own. */
async function measureBacklog(
  cluster: Embedded,
  folder: string,
  load: LoadGenerator,
): Promise<readonly Fact[]> {
  const own = async (name: string): Promise<BenchPlanner> => {
    const planner = await startPlanner(cluster, folder, SITES[0] ?? 10, [], name);
    onEnd(planner.stop);
    return planner;
  };
  const [few, many] = [await own('few'), await own('many')];
  return [
    ...(await measureStored(few, many, load, scaled(2000))),
    ...(await measureSweep(few, scaled(2000))),
  ];
}

/** Runs once: an interrupted measurement may fail while the interrupt cleans up. */
function cleanUp(): Promise<void> {
  return (ending ??= endAll());
}

async function endAll(): Promise<void> {
  for (const step of steps) await step();
}
