import assert from 'node:assert/strict';
import { runToEnd } from './workloads.ts';
import type { ContractBench } from './bench.ts';
import { collect, type ContractPromise } from './promise.ts';

/** Promises about the limits of an offer: time, memory and room for output. */
export function limitPromises(bench: ContractBench): readonly ContractPromise[] {
  const { promise, promises } = collect(bench.limit);
  const { script, patience, lateS } = bench;

  promise('a job is stopped when its wall time is over', async () => {
    const work = script('echo begun; sleep 300', { wallTime: 1 });
    const begun = performance.now();
    const outcome = await runToEnd(bench.runner, work);
    assert.partialDeepStrictEqual(outcome, { kind: 'stopped', reason: 'wall-time' });
    assert.match(outcome.kind === 'stopped' ? outcome.message : '', /after 1 s/);
    assert.ok(performance.now() - begun < (patience + lateS) * 1000);
    assert.equal(await bench.subject.isAlive(work.job), false);
  });

  promise('a job that takes more memory than offered does not get it', async () => {
    const outcome = await runToEnd(
      bench.runner,
      script('x=$(head -c 400000000 /dev/zero | tr "\\0" a); echo ${#x}; sleep 300', {
        memory: 64,
        wallTime: 60,
      }),
    );
    // A refused allocation counts as the task's own failure.
    if (outcome.kind === 'stopped') assert.equal(outcome.reason, 'memory');
    else assert.equal(outcome.kind === 'failed' && outcome.code, 'task-failed');
  });

  promise('a job that writes more than offered is stopped', async () => {
    assert.partialDeepStrictEqual(
      await runToEnd(
        bench.runner,
        script('while :; do head -c 1000000 /dev/zero; done > /dev/stderr', { scratch: 5 }),
      ),
      { kind: 'stopped', reason: 'output' },
    );
    assert.partialDeepStrictEqual(
      await runToEnd(
        bench.runner,
        script(
          'i=0; while :; do i=$((i+1)); head -c 1000000 /dev/zero > f$i || exit 1; [ $i ' +
            '-lt 100 ] || sleep 300; done',
          { scratch: 5 },
        ),
      ),
      { kind: 'stopped', reason: 'output' },
    );
  });
  return promises;
}
