import { afterAll, expect, test } from '@jest/globals';
import { startChild } from '../../src/sandbox/child.ts';
import { childProgram } from '../../src/sandbox/program.ts';
import { openSandbox } from '../../src/sandbox/sandbox.ts';
import { finite, object } from '../../src/vortex/shape.ts';
import { memoryOf } from '../bench/processes/process-tree.ts';

/** A guest without an engine, so that what its isolate takes is what isolates begin with. */
const EMPTY = {
  name: 'guest.js',
  code: 'export const load = () => \'{"ok":true}\'; export const decide = load;',
  imports: {},
};

/**
 * Says after a load, in MB, what its isolate takes and what the young
 * generation of the process has come to.
 */
const TELL = `
  import { getHeapSpaceStatistics } from 'node:v8';
  process.on('message', async ({ kind }) => {
    await turn;
    if (kind !== 'load') return;
    const kept = [];
    for (let number = 0; number < 400_000; number += 1) kept.push({ number });
    const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space').space_size / 2 ** 20;
    const isolate = engine.isolate.getHeapStatisticsSync().total_heap_size / 2 ** 20;
    process.send({ kind: 'failed', id: 0, code: 'engine-error', message: JSON.stringify({ young, isolate }) });
  });
`;

test('isolates have a large young generation; that of the process is small and does not grow', async () => {
  const told = await new Promise<string>((resolve) => {
    const program = { main: childProgram().main + TELL, modules: [EMPTY] };
    const limits = { memoryMb: 64, decisionMs: 10_000, loadMs: 10_000, spare: false };
    const child = startChild(program, { within: undefined, hasJit: false }, limits, null, {
      onMessage: (message) => {
        if (message.kind !== 'failed') return;
        child.kill();
        resolve(message.message);
      },
      onExit: resolve,
    });
    child.send({ kind: 'load', id: 1, request: '' });
  });
  const { young, isolate } = object({ young: finite, isolate: finite })(JSON.parse(told), 'told');
  expect(young).toBeLessThanOrEqual(4);
  expect(isolate).toBeGreaterThanOrEqual(16);
});

const sandbox = openSandbox({ jit: 'always', decisionMs: 10_000, loadMs: 60_000 });
afterAll(() => sandbox.close());

/** MB; 0 where there is no /proc. */
async function memory(): Promise<number> {
  return (await memoryOf(sandbox.pid() ?? 0)) ?? 0;
}

test('40 MB of answers leave less than 10 MB behind in the sandbox process', async () => {
  const text = `tools: { default: { env: { LONG: "{'x' * 5000}" } } }\ndestinations: { here: { runner: local } }\n`;
  expect(await sandbox.load([{ name: 'long.yml', text }])).toMatchObject({ kind: 'loaded' });
  const job = {
    tool: { id: 'always_the_same', version: '1', requirements: [] },
    user: null,
    roles: [],
    inputs: [],
  };
  const decide = async (count: number): Promise<number> => {
    const numbers = Array.from({ length: count }, (_, number) => number).values();
    const ask = async (): Promise<void> => {
      for (const seed of numbers) {
        const decision = await sandbox.map(job, { seed, now: 0 }, false);
        if (decision.kind !== 'destination')
          throw new Error(`a decision: ${JSON.stringify(decision)}`);
      }
    };
    await Promise.all(Array.from({ length: 16 }, ask));
    return memory();
  };
  // What a process grows by at its beginning is not what answers leave: begun after 1,000 of
  // them the rest was 10.46 MB once.
  let before = await decide(4_000);
  // Pages that nobody has collected yet come and go; answers that stay are there after each round.
  const rests: number[] = [];
  for (let round = 0; round < 3 && !rests.some((rest) => rest < 10); round += 1) {
    const after = await decide(8_000);
    rests.push(after - before);
    before = after;
  }
  expect(Math.min(...rests)).toBeLessThan(10);
});
