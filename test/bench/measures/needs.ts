import { readSeedAsk, type SeedAsk } from '../../../src/dialects/seed/read.ts';
import { vocabularyOf } from '../../../src/http/asks/vocabulary.ts';
import { chooseEnvironment } from '../../../src/planner/judge/environments.ts';
import { builtInKnown } from '../../../src/plugins/types.ts';
import { environmentWith, siteWith } from '../../environments/with-packages.ts';
import { siteOf } from '../../harness/asks.ts';

/*
 * node --no-warnings test/bench/measures/needs.ts
 *
 * What reading and judging the needs of a program adds to an ask, in processor time: three
 * requirements and the imports of a program of a hundred lines, when nobody has sent them before,
 * and when they come again. The goal is at most 300 µs.
 */

const ROUNDS = 7;
const ASKS = 2000;

const PACKAGES = Object.fromEntries(
  Array.from({ length: 300 }, (_, at) => [`package-${at}`, `${at % 9}.${at % 7}.1`]),
);
const NEEDED = { numpy: '2.1.0', astropy: '6.1.4', scipy: '1.14.1' };
const NAMES = Array.from({ length: 10 }, (_, at) => `d${at}`);
const DESTINATION = { runner: 'notebook', 'task-types': ['python-program'] };
const astro = [environmentWith('astro', { ...PACKAGES, ...NEEDED })];
const site = siteWith(
  siteOf(Object.fromEntries(NAMES.map((name) => [name, DESTINATION]))),
  Object.fromEntries(NAMES.map((name) => [name, astro])),
);
const vocabulary = vocabularyOf(builtInKnown, site);
const LINES = Array.from({ length: 97 }, (_, at) => `x${at} = [n * ${at} for n in range(9)]`);

const IMPORTS = ['import numpy as np', 'from astropy import units', 'import scipy.optimize'];
const found: { readonly plain: number[]; readonly fresh: number[]; readonly again: number[] } = {
  plain: [],
  fresh: [],
  again: [],
};
for (let round = 0; round <= ROUNDS; round += 1) {
  const plain = timeOf((ask) => ({ source: sourceOf(`${round}.${ask}`, []) }));
  const fresh = timeOf((ask) => needing(`${round}.${ask}`, `${round * ASKS + ask}`.slice(-3)));
  const again = timeOf(() => needing('the same', '0'));
  if (round === 0) continue;
  found.plain.push(plain);
  found.fresh.push(fresh - plain);
  found.again.push(again - plain);
}
tell('a program that imports nothing takes', found.plain);
tell('needs that nobody sent before add', found.fresh);
tell('needs that come again add', found.again);

function needing(what: string, round: string): object {
  return {
    source: sourceOf(what, IMPORTS),
    requirements: [`numpy>=1.${round}`, `astropy>=5.${round},<7`, `scipy>1.0.${round}`],
  };
}

function sourceOf(what: string, head: readonly string[]): string {
  return [`# ${what}`, ...head, ...LINES].join('\n');
}

function timeOf(specOf: (ask: number) => object): number {
  const begun = process.cpuUsage();
  for (let ask = 0; ask < ASKS; ask += 1) {
    const body: SeedAsk = Object({
      task: { type: 'https://www.purl.org/ivoa-net/task-type/python-program', spec: specOf(ask) },
      resources: { compute: [{ 'min-cores': 1 }] },
    });
    const understood = readSeedAsk(body, vocabulary);
    if (!understood.ok) throw new Error(JSON.stringify(understood.refusals));
    for (const destination of site.destinations.values()) {
      const { objections } = chooseEnvironment(understood.ask, destination);
      if (objections.length > 0) throw new Error(JSON.stringify(objections));
    }
  }
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / ASKS;
}

function tell(what: string, values: readonly number[]): void {
  const sorted = values.toSorted((a, b) => a - b);
  const [least, most] = [sorted[0] ?? Number.NaN, sorted.at(-1) ?? Number.NaN];
  const median = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  console.log(`${what} ${median.toFixed(1)} µs (${least.toFixed(1)} to ${most.toFixed(1)})`);
}
