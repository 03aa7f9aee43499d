import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { emptyBook } from './book.ts';
import type { LoadGenerator } from '../load.ts';
import type { BenchPlanner } from '../planners.ts';
import { processorTimeOf, treeOf } from '../processes/process-tree.ts';
import type { Fact, Sample } from '../sample.ts';
import { NO_ASK, YES_ASK } from '../site.ts';

export const PARTS = ['planner', 'sandbox child', 'PostgreSQL'] as const;
export type Part = (typeof PARTS)[number];

/** Processor time so far, in milliseconds, of the parts that answer asks. */
export async function timesOf(
  { server }: BenchPlanner,
  postmaster: number,
): Promise<Readonly<Record<Part, number>>> {
  const children = (await treeOf(server.pid)).filter(({ pid }) => pid !== server.pid);
  const sum = async (pids: readonly number[]): Promise<number> =>
    (await Promise.all(pids.map(processorTimeOf))).reduce((a, b) => a + b, 0);
  return {
    planner: await processorTimeOf(server.pid),
    'sandbox child': await sum(children.map(({ pid }) => pid)),
    PostgreSQL: await sum((await treeOf(postmaster)).map(({ pid }) => pid)),
  };
}

/** The first process of the bench's PostgreSQL. */
export async function postmasterOf(planner: BenchPlanner): Promise<number> {
  const {
    rows: [row],
  } = await planner.client.query('SHOW data_directory');
  const lines = (await readFile(join(String(row?.data_directory), 'postmaster.pid'), 'utf8')).split(
    '\n',
  );
  return Number(lines[0]);
}

const CONNECTIONS = 32;

/**
 * Processor time of each part of an ask, which hardly depends on other load. One warm-up round,
 * then one that counts.
 */
export async function measureCosts(
  planner: BenchPlanner,
  load: LoadGenerator,
  amount: number,
): Promise<readonly Fact[]> {
  const postmaster = await postmasterOf(planner);
  const found: Fact[] = [];
  for (const [result, body] of [
    ['YES', YES_ASK],
    ['NO', NO_ASK],
  ] as const) {
    const ask = (): Promise<Sample> =>
      load.send({
        url: `${planner.server.url}/request`,
        method: 'POST',
        body,
        amount,
        connections: CONNECTIONS,
      });
    await emptyBook(planner.client);
    await ask();
    await emptyBook(planner.client);
    const before = await timesOf(planner, postmaster);
    await ask();
    const after = await timesOf(planner, postmaster);
    found.push(
      ...PARTS.map((part): Fact => ({
        name:
          `processor time of an ask, ${planner.destinations} destinations, ${result}, ` +
          `${CONNECTIONS} connections: ${part}`,
        unit: 'ms',
        values: [(after[part] - before[part]) / amount],
      })),
    );
  }
  await emptyBook(planner.client);
  return found;
}

/**
 * Latency against load: asks that are sent at their own pace, not after each answer.
 *
 * @param paces asks a second
 * @param amountOf how many asks at a pace
 */
export async function measureCurve(
  planner: BenchPlanner,
  load: LoadGenerator,
  paces: readonly number[],
  amountOf: (pace: number) => number,
): Promise<readonly Fact[]> {
  const found: Fact[] = [];
  for (const perSecond of paces) {
    await emptyBook(planner.client);
    const { p50, p99 } = await load.send({
      url: `${planner.server.url}/request`,
      method: 'POST',
      body: YES_ASK,
      amount: amountOf(perSecond),
      connections: CONNECTIONS,
      perSecond,
    });
    const name = `POST /request: ${planner.destinations} destinations, YES, ${perSecond} a second`;
    found.push(
      { name: `${name}, p50`, unit: 'ms', values: [p50] },
      { name: `${name}, p99`, unit: 'ms', values: [p99] },
    );
  }
  await emptyBook(planner.client);
  return found;
}

const WIDTH_ROUNDS = 5;

/** Compares an ask at many destinations with one at a few, alternating. */
export async function measureWidth(
  few: BenchPlanner,
  many: BenchPlanner,
  load: LoadGenerator,
  amount: number,
): Promise<readonly Fact[]> {
  const ask = async ({ server, client }: BenchPlanner): Promise<Sample> => {
    await emptyBook(client);
    return load.send({
      url: `${server.url}/request`,
      method: 'POST',
      body: YES_ASK,
      amount,
      connections: 1,
    });
  };
  const ratios: number[] = [];
  for (let round = 0; round <= WIDTH_ROUNDS; round += 1) {
    const [a, b] = [await ask(few), await ask(many)];
    if (round > 0) ratios.push(b.p50 / a.p50);
  }
  return [
    {
      name:
        `POST /request, YES, 1 connection: p50 of ${many.destinations} destinations, of ` +
        `that of ${few.destinations}`,
      unit: 'times',
      values: ratios,
    },
  ];
}
