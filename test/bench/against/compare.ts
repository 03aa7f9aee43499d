import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { openLoadGenerator } from '../load.ts';
import { PARTS } from '../measures/costs.ts';
import { spread } from '../report.ts';
import { median } from '../sample.ts';
import { treeOf } from './tree.ts';
import { allOf, LOADS, startVersion, type Load, type Outcome, type Version } from './version.ts';

/** How the versions are compared. */
export type Comparison = {
  readonly rounds: number;
  /** requests of a round */
  readonly amount: number;
  readonly destinations: number;
  /** names of loads */
  readonly only: RegExp;
};

/**
 * Measures this version and another one in turns, each with a planner and a PostgreSQL of its own,
 * and writes what each needs and the ratios of each round to stdout.
 *
 * @param other a commit, or a work tree that is ready
 */
export async function compareWith(other: string, wanted: Comparison): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-against-'));
  const generator = openLoadGenerator();
  const versions: Version[] = [];
  const tree = await treeOf(other, join(folder, 'tree'));
  try {
    for (const [name, path] of [
      ['other', tree.folder],
      ['this', resolve(import.meta.dirname, '../../..')],
    ] as const)
      versions.push(await startVersion(name, path, folder, wanted.destinations, generator));
    for (const [name, load] of Object.entries(LOADS))
      if (wanted.only.test(name)) tell(name, await inTurns(versions, load, wanted));
  } finally {
    generator.close();
    for (const version of versions) await version.stop();
    await tree.remove();
    await rm(folder, { recursive: true, force: true });
  }
}

type Found = { readonly version: Version; readonly rounds: readonly Outcome[] };

/** A warm-up round and those that count; who begins changes with each. */
async function inTurns(
  versions: readonly Version[],
  load: Load,
  { rounds, amount }: Comparison,
): Promise<readonly Found[]> {
  const found = versions.map((version) => ({ version, rounds: new Array<Outcome>() }));
  for (let round = 0; round <= rounds; round += 1) {
    for (const { version, rounds: all } of round % 2 === 0 ? found : found.toReversed()) {
      const outcome = await version.measure(load, amount);
      if (round > 0) all.push(outcome);
    }
  }
  return found;
}

function tell(name: string, found: readonly Found[]): void {
  for (const { version, rounds } of found) {
    const of = (value: (one: Outcome) => number): number => median(rounds.map(value));
    const parts = PARTS.map((part) => `${part} ${of(({ times }) => times[part]).toFixed(2)}`);
    console.log(
      `${name}, ${version.name}: ${Math.round(of(({ perSecond }) => perSecond))} a second, ` +
        `p50 ${of(({ p50 }) => p50).toFixed(1)}, p99 ${of(({ p99 }) => p99).toFixed(1)} ms; ` +
        `processor time ${of(allOf).toFixed(2)} ms (${parts.join(', ')})`,
    );
  }
  const [before, after] = found;
  if (before === undefined || after === undefined) return;
  const ratio = (value: (one: Outcome) => number): string => {
    const all = after.rounds.map((one, at) => {
      const other = before.rounds[at];
      return other === undefined ? Number.NaN : value(one) / value(other);
    });
    const { median: usual, least, most } = spread(all);
    return `${usual.toFixed(2)} (${least.toFixed(2)}–${most.toFixed(2)})`;
  };
  console.log(
    `${name}: ${ratio(({ perSecond }) => perSecond)} times as many a second, ` +
      `${ratio(({ p99 }) => p99)} times the p99, ${ratio(allOf)} times the processor time`,
  );
}
