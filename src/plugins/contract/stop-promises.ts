import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { newJob, runToEnd, until } from './workloads.ts';
import { sizeOf, type ContractBench } from './bench.ts';
import { collect, type ContractPromise } from './promise.ts';

/** Promises about stopping and removing a job at any time. */
export function stopPromises(bench: ContractBench): readonly ContractPromise[] {
  const { promise, promises } = collect(bench.limit);
  const { script, stopped } = bench;

  promise('an unknown job is absent; stopping and removing it does nothing', async () => {
    const job = newJob();
    await bench.runner.stop(job, 'cancelled');
    await bench.runner.remove(job);
    assert.deepEqual(await bench.runner.look(job), { state: 'absent' });
  });

  promise(
    'a job that is stopped ends with everything it started, and says who stopped it',
    async () => {
      const work = script(
        `trap '' TERM; echo begun; (setsid sh -c 'trap "" TERM; sleep 300' &) ; sleep 300`,
      );
      await bench.runner.submit(work);
      await until(
        () =>
          existsSync(join(bench.subject.jobsRoot, work.job, 'stdout')) &&
          readFileSync(join(bench.subject.jobsRoot, work.job, 'stdout'), 'utf8') === 'begun\n',
        'output while it runs',
      );
      assert.deepEqual(await bench.runner.look(work.job), { state: 'running' });
      await stopped(work);
      assert.equal(await bench.subject.isAlive(work.job), false);
      const seen = await bench.runner.look(work.job);
      assert.partialDeepStrictEqual(seen, {
        state: 'ended',
        outcome: { kind: 'stopped', reason: 'cancelled' },
      });
      assert.equal(seen.state === 'ended' && sizeOf(seen.outcome, 'stdout'), 6);
    },
  );

  promise('a job that has ended stays as it ended when it is stopped', async () => {
    const work = script('exit 0');
    const outcome = await runToEnd(bench.runner, work);
    await bench.runner.stop(work.job, 'cancelled');
    assert.deepEqual(await bench.runner.look(work.job), { state: 'ended', outcome });
  });

  promise('a job that is removed is stopped first and leaves nothing', async () => {
    const work = script('mkdir -p a/b; echo x > a/b/c; chmod 500 a/b a; sleep 300');
    await bench.runner.submit(work);
    await bench.removed(work);
    assert.equal(await bench.subject.isAlive(work.job), false);
    assert.equal(existsSync(join(bench.subject.jobsRoot, work.job)), false);
    assert.deepEqual(await bench.runner.look(work.job), { state: 'absent' });
  });
  return promises;
}
