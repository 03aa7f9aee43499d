import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded, type Embedded } from '../../../src/db/embedded.ts';
import { openLoadGenerator, type LoadGenerator } from '../load.ts';
import type { Fact } from '../sample.ts';
import { spread } from '../report.ts';

/** What a script of this folder measures with. */
type Bench = {
  readonly cluster: Embedded;
  readonly folder: string;
  /** opens a load generator */
  readonly openLoad: () => LoadGenerator;
  readonly onEnd: (step: () => unknown) => void;
};

/** Runs a script with a PostgreSQL of its own, and leaves nothing. */
export async function withBench(use: (bench: Bench) => Promise<void>): Promise<void> {
  const steps: (() => unknown)[] = [];
  const end = async (): Promise<void> => {
    for (const step of steps.splice(0).toReversed()) await step();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void end().finally(() => process.exit(1)));
  const onEnd = (step: () => unknown): void => void steps.push(step);
  try {
    const folder = await mkdtemp(join(tmpdir(), 'planner-sizing-'));
    onEnd(() => rm(folder, { recursive: true, force: true }));
    await chmod(folder, 0o755);
    const cluster = await startEmbedded({ directory: folder });
    onEnd(cluster.stop);
    const openLoad = (): LoadGenerator => {
      const load = openLoadGenerator();
      onEnd(load.close);
      return load;
    };
    await use({ cluster, folder, openLoad, onEnd });
  } finally {
    await end();
  }
}

/** Prints lines of a table: median and range. */
export function print(facts: readonly Fact[]): void {
  for (const { name, unit, values } of facts) {
    const { median, least, most } = spread(values);
    const [middle, low, high] = [median, least, most].map((value) =>
      value.toLocaleString('en', { maximumSignificantDigits: 3 }),
    );
    console.log(`| ${name} | ${middle} (${low}–${high}) ${unit} |`);
  }
}
