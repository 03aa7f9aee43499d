import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type { Embedded, startEmbedded } from '../../../src/db/embedded.ts';
import type { emptyBook } from './book.ts';
import { PARTS, postmasterOf, timesOf, type Part } from './costs.ts';
import { openLoadGenerator, type HttpLoad } from '../load.ts';
import type { BenchPlanner, startPlanner } from '../planners.ts';
import { median } from '../sample.ts';
import { NO_ASK, YES_ASK } from '../site.ts';

/*
 * node test/bench/measures/versions.ts <work tree of another version> [--rounds 7] [--amount 900]
 * [--destinations 10] [--only <regular expression of loads>]
 *
 * Processor time of an ask in this version and in the other one, in turn, each with its own planner
 * and PostgreSQL.
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '7' },
    amount: { type: 'string', default: '900' },
    destinations: { type: 'string', default: '10' },
    only: { type: 'string', default: '' },
  },
});
const [rounds, amount, destinations] = [
  Number(values.rounds),
  Number(values.amount),
  Number(values.destinations),
];
const [other] = positionals;
if (other === undefined)
  throw new Error(
    'name the work tree of the other version, with its node_modules and generated sources',
  );

type Modules = {
  readonly startEmbedded: typeof startEmbedded;
  readonly startPlanner: typeof startPlanner;
  readonly emptyBook: typeof emptyBook;
};
type Version = {
  readonly name: string;
  readonly planner: BenchPlanner;
  readonly postmaster: number;
  readonly empty: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

const LOADS: Readonly<Record<string, Pick<HttpLoad, 'body' | 'connections' | 'perSecond'>>> = {
  'YES, 32 connections': { body: YES_ASK, connections: 32 },
  'YES, 1 connection': { body: YES_ASK, connections: 1 },
  'YES, 100 a second': { body: YES_ASK, connections: 32, perSecond: 100 },
  'NO, 32 connections': { body: NO_ASK, connections: 32 },
};

type Times = Readonly<Record<Part, number>>;

const folder = await mkdtemp(join(tmpdir(), 'bench-versions-'));
const generator = openLoadGenerator();
const versions: Version[] = [];
try {
  versions.push(
    await startVersion('other', resolve(other), folder),
    await startVersion('this', resolve(import.meta.dirname, '../../..'), folder),
  );
  for (const [name, load] of Object.entries(LOADS)) {
    if (!new RegExp(values.only).test(name)) continue;
    const found = versions.map((version) => ({ version, rounds: new Array<Times>() }));
    for (let round = 0; round <= rounds; round += 1) {
      for (const { version, rounds: all } of round % 2 === 0 ? found : found.toReversed()) {
        const times = await measure(version, load);
        if (round > 0) all.push(times);
      }
    }
    const [before, after] = found.map(({ rounds: all }) => median(all.map(sumOf)));
    for (const { version, rounds: all } of found) {
      console.log(
        `${name}, ${version.name}: ` +
          `${PARTS.map((part) => `${part} ${median(all.map((one) => one[part])).toFixed(2)}`).join(', ')}, ` +
          `all ${median(all.map(sumOf)).toFixed(2)} ms`,
      );
    }
    console.log(
      `${name}: ${((after ?? Number.NaN) / (before ?? Number.NaN)).toFixed(3)} times the ` +
        'processor time of the other version',
    );
  }
} finally {
  generator.close();
  for (const version of versions) await version.stop();
  await rm(folder, { recursive: true, force: true });
}

async function startVersion(name: string, tree: string, folder: string): Promise<Version> {
  const load = (path: string): Promise<Modules> => import(pathToFileURL(join(tree, path)).href);
  const cluster: Embedded = await (
    await load('src/db/embedded.ts')
  ).startEmbedded({ directory: join(folder, name, 'pg'), disposable: true });
  const planner = await (
    await load('test/bench/planners.ts')
  ).startPlanner(cluster, join(folder, name), destinations, []);
  const book = await load('test/bench/measures/book.ts');
  return {
    name,
    planner,
    postmaster: await postmasterOf(planner),
    empty: () => book.emptyBook(planner.client),
    stop: async () => {
      await planner.stop();
      await cluster.stop();
    },
  };
}

function sumOf(times: Times): number {
  return PARTS.reduce((sum, part) => sum + times[part], 0);
}

/** Milliseconds of processor time of one ask. */
async function measure(
  { planner, postmaster, empty }: Version,
  load: (typeof LOADS)[string],
): Promise<Times> {
  await empty();
  const before = await timesOf(planner, postmaster);
  await generator.send({ url: `${planner.server.url}/request`, method: 'POST', amount, ...load });
  const after = await timesOf(planner, postmaster);
  const of = (part: Part): number => (after[part] - before[part]) / amount;
  return {
    planner: of('planner'),
    'sandbox child': of('sandbox child'),
    PostgreSQL: of('PostgreSQL'),
  };
}
