import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ended, until } from './workloads.ts';
import { sizeOf, type ContractBench } from './bench.ts';
import { collect, type ContractPromise } from './promise.ts';

/** Promises to executors: jobs outlive them, run once and are isolated. */
export function executorPromises(bench: ContractBench): readonly ContractPromise[] {
  const { promise, promises } = collect(bench.limit);
  const { openRunner, script, textOf, stopped, patience, limit } = bench;

  promise('a job that is submitted again runs once', async () => {
    const work = script('echo run >> count; sleep 1');
    await Promise.all([bench.runner.submit(work), bench.runner.submit(work)]);
    await bench.runner.submit(work);
    const outcome = await ended(bench.runner, work.job, patience * 1000);
    await bench.runner.submit(work);
    assert.equal(textOf(work, 'count', outcome), 'run\n');
    assert.deepEqual(await bench.runner.look(work.job), { state: 'ended', outcome });
  });

  promise(
    'output can be read while the job runs, and goes on when another executor takes it over',
    async () => {
      const work = script('echo first; echo trouble >&2; sleep 4; echo second; sleep 300');
      const holds = (file: string, text: string) => (): boolean => {
        const path = join(bench.subject.jobsRoot, work.job, file);
        return existsSync(path) && readFileSync(path, 'utf8') === text;
      };
      const before = await bench.subject.open();
      await before.submit(work);
      await until(holds('stdout', 'first\n'), 'output while it runs');
      await until(holds('stderr', 'trouble\n'), 'errors while it runs');
      await before.close();
      await until(
        async () => (await bench.runner.look(work.job)).state === 'running',
        'the run that is taken over',
      );
      await until(holds('stdout', 'first\nsecond\n'), 'more output');
      await stopped(work);
      const seen = await bench.runner.look(work.job);
      assert.equal(seen.state === 'ended' && sizeOf(seen.outcome, 'stdout'), 13);
    },
  );

  promise(
    'a job goes on when its executor dies, and the next executor learns how it ended',
    async () => {
      const first = await openRunner();
      const work = script(
        'echo one; until [ -e go ]; do sleep 0.2; done; echo two; echo kept > kept.txt',
      );
      await first.submit(work);
      await first.close();
      const second = await openRunner();
      assert.ok(['queued', 'running'].includes((await second.look(work.job)).state));
      await second.submit(work);
      writeFileSync(join(bench.subject.jobsRoot, work.job, 'work', 'go'), '');
      const outcome = await ended(second, work.job, patience * 1000);
      assert.partialDeepStrictEqual(outcome, { kind: 'completed' });
      assert.equal(textOf(work, 'stdout', outcome), 'one\ntwo\n');
      assert.equal(textOf(work, 'kept.txt', outcome), 'kept\n');
    },
  );

  promise('a job that ended while no executor was there has its results', async () => {
    const first = await openRunner();
    const work = script('echo one; sleep 1; echo two; exit 4');
    await first.submit(work);
    await first.close();
    await until(async () => !(await bench.subject.isAlive(work.job)), 'the end of the job');
    const outcome = await ended(await openRunner(), work.job, patience * 1000);
    assert.partialDeepStrictEqual(outcome, {
      kind: 'failed',
      message: 'the task ended with exit code 4',
    });
    assert.equal(textOf(work, 'stdout', outcome), 'one\ntwo\n');
  });

  promise('listeners hear of the end', async () => {
    const told: string[] = [];
    const work = script('sleep 0.3');
    bench.runner.onEnded(
      (job) =>
        void (job === work.job && bench.runner.look(job).then(({ state }) => told.push(state))),
    );
    await bench.runner.submit(work);
    await until(() => told.includes('ended'), 'the call');
    // A call of leaving the queue comes before; on a busy machine its look may see the end, too.
    const calls = told.filter((state) => state === 'ended').length;
    assert.ok(calls <= 2, `${calls} calls after the end`);
  });

  promise(
    'twenty jobs at once all run, and keep their output apart',
    async () => {
      const works = Array.from({ length: 20 }, (_, index) =>
        script(`echo ${index}; echo ${index} > own.txt`),
      );
      await Promise.all(works.map((work) => bench.runner.submit(work)));
      for (const [index, work] of works.entries()) {
        const outcome = await ended(bench.runner, work.job, patience * 4000);
        assert.equal(textOf(work, 'stdout', outcome), `${index}\n`);
        assert.equal(textOf(work, 'own.txt', outcome), `${index}\n`);
      }
    },
    limit * 4,
  );
  return promises;
}
