import { afterAll, describe, expect, test } from '@jest/globals';
import { join } from 'node:path';
import { combinedOutcome } from '../../../src/runners/machines/combined.ts';
import { PLAIN } from '../../../src/runners/process/start/isolation.ts';
import { processRunner } from '../../../src/runners/process-runner.ts';
import { parseOutcome } from '../../../src/runners/run/outcome.ts';
import { usageIn } from '../../../src/runners/run/usage.ts';
import { removeRoot, run, shell, temporaryRoot } from '../workloads.ts';
import { cgroups } from './isolations.ts';

const root = temporaryRoot();
const urls = { allowHosts: [], fileRoots: [] };
/** Computes for about half a second in a child of a child. */
const BUSY = 'sh -c "i=0; while [ \\$i -lt 300000 ]; do i=\\$((i+1)); done"; true';
afterAll(() => removeRoot(root));

describe('the report of a launch script', () => {
  test('has the processor time of what it waited for, in the words of each shell', () => {
    expect(usageIn(['0m0.01s 0m0.02s', '1m2.500s 0m0.250s'])).toEqual({ processorS: 62.75 });
    expect(usageIn(['0m0,001s 0m0,002s', '0m1,004s 0m0,000s'])).toEqual({ processorS: 1.004 });
  });

  test('has that of a cgroup instead, with the most memory', () => {
    const times = ['0m0.01s 0m0.02s', '0m2.500s 0m0.250s'];
    expect(usageIn([...times, 'used us 3500000', 'used bytes 1048576'])).toEqual({
      processorS: 3.5,
      memoryMib: 1,
    });
    expect(usageIn(['used ns 1500000000'])).toEqual({ processorS: 1.5 });
  });

  test('may have nothing of it, or what is no number', () => {
    expect(usageIn(['exit 0', 'used us', 'used bytes -1', '0m1s'])).toBeUndefined();
  });
});

describe('the usage of a run', () => {
  test('is read back with its outcome', () => {
    const outcome = { kind: 'completed', results: [], usage: { processorS: 1, memoryMib: 2 } };
    expect(parseOutcome(outcome)).toEqual(outcome);
    expect(parseOutcome({ ...outcome, usage: { processorS: 'much' } })).toEqual({
      kind: 'completed',
      results: [],
    });
  });

  test('of several machines is their sum, where all of them tell', () => {
    const one = (machine: number, usage: object) => ({
      machine,
      outcome: { kind: 'completed', results: [], usage } as const,
    });
    const both = [one(0, { processorS: 1, memoryMib: 100 }), one(1, { processorS: 2.5 })];
    expect(combinedOutcome(both)).toMatchObject({ usage: { processorS: 3.5 } });
    expect(combinedOutcome(both).usage).not.toHaveProperty('memoryMib');
  });

  test('of processes without a cgroup is the processor time', async () => {
    const runner = processRunner({ jobsRoot: join(root, 'plain'), urls, isolation: PLAIN });
    const { usage } = await run(runner, shell(BUSY));
    await runner.close();
    expect(usage?.processorS).toBeGreaterThan(0.02);
    expect(usage?.processorS).toBeLessThan(20);
  });
});

const withCgroups = cgroups === undefined ? describe.skip : describe;
withCgroups('the usage of a run in a cgroup', () => {
  test('has its processor time, and its memory where the kernel counts it', async () => {
    const runner = processRunner({
      jobsRoot: join(root, 'cgroup'),
      urls,
      isolation: { ...PLAIN, cgroups },
    });
    const { usage } = await run(runner, shell(`${BUSY}; head -c 30000000 /dev/zero | tail -c 1`));
    await runner.close();
    expect(usage?.processorS).toBeGreaterThan(0.02);
    expect(usage?.memoryMib ?? 1).toBeGreaterThan(0);
  });
});
