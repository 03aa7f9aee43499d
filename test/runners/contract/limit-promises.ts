import { expect, test } from '@jest/globals';
import { run } from '../workloads.ts';
import type { ContractBench } from './bench.ts';

/** Promises about the limits of an offer: time, memory and room for output. */
export function limitPromises(bench: ContractBench): void {
  const { script, patience, lateS, limit } = bench;

  test(
    'a job is stopped when its wall time is over',
    async () => {
      const work = script('echo begun; sleep 300', { wallTime: 1 });
      const begun = performance.now();
      expect(await run(bench.runner, work)).toMatchObject({
        kind: 'stopped',
        reason: 'wall-time',
        message: expect.stringContaining('after 1 s'),
      });
      expect(performance.now() - begun).toBeLessThan((patience + lateS) * 1000);
      expect(await bench.subject.isAlive(work.job)).toBe(false);
    },
    limit,
  );

  test(
    'a job that takes more memory than offered does not get it',
    async () => {
      const outcome = await run(
        bench.runner,
        script('x=$(head -c 400000000 /dev/zero | tr "\\0" a); echo ${#x}; sleep 300', {
          memory: 64,
          wallTime: 60,
        }),
      );
      expect(outcome.kind).not.toBe('completed');
      // A refused allocation counts as the task's own failure.
      expect(['memory', 'task-failed']).toContain(
        outcome.kind === 'stopped' ? outcome.reason : outcome.kind === 'failed' && outcome.code,
      );
    },
    limit,
  );

  test(
    'a job that writes more than offered is stopped',
    async () => {
      expect(
        await run(
          bench.runner,
          script('while :; do head -c 1000000 /dev/zero; done > /dev/stderr', { scratch: 5 }),
        ),
      ).toMatchObject({ kind: 'stopped', reason: 'output' });
      expect(
        await run(
          bench.runner,
          script(
            'i=0; while :; do i=$((i+1)); head -c 1000000 /dev/zero > f$i || exit 1; [ $i ' +
              '-lt 100 ] || sleep 300; done',
            { scratch: 5 },
          ),
        ),
      ).toMatchObject({ kind: 'stopped', reason: 'output' });
    },
    limit,
  );
}
