import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runToEnd } from './workloads.ts';
import type { ContractBench } from './bench.ts';
import { collect, type ContractPromise } from './promise.ts';

/** Promises about the inputs of a task and its results. */
export function taskPromises(bench: ContractBench): readonly ContractPromise[] {
  const { promise, promises } = collect(bench.limit);
  const { script, argv, textOf, cores } = bench;

  promise('a job that is submitted runs and completes, with what it printed', async () => {
    const work = script('echo out; echo err >&2');
    const outcome = await runToEnd(bench.runner, work);
    assert.partialDeepStrictEqual(outcome, { kind: 'completed' });
    assert.equal(textOf(work, 'stdout', outcome), 'out\n');
    assert.equal(textOf(work, 'stderr', outcome), 'err\n');
  });

  promise('files of the working directory are results, links are not', async () => {
    const work = script('mkdir t; echo 1 > "t/a b.csv"; ln -s /etc/passwd link; echo x > y.txt');
    const outcome = await runToEnd(bench.runner, work);
    assert.deepEqual(
      outcome.results
        .map(({ id, mimeType, size }) => [id, mimeType, size])
        .filter(([id]) => id !== 'stdout' && id !== 'stderr'),
      [
        ['t_a_b.csv', 'text/csv; charset=utf-8', 2],
        ['y.txt', 'text/plain; charset=utf-8', 2],
      ],
    );
    assert.equal(textOf(work, 't_a_b.csv', outcome), '1\n');
  });

  promise('output is kept byte for byte, even without a final line end', async () => {
    const work = script(String.raw`printf 'a\000\377b'; printf 'no end' >&2`);
    const outcome = await runToEnd(bench.runner, work);
    const stdout = outcome.results.find(({ id }) => id === 'stdout');
    assert.deepEqual(
      [...readFileSync(join(bench.subject.jobsRoot, work.job, stdout?.path ?? ''))],
      [97, 0, 255, 98],
    );
    assert.equal(textOf(work, 'stderr', outcome), 'no end');
  });

  promise('a job that fails has its exit code and the end of its standard error', async () => {
    assert.partialDeepStrictEqual(
      await runToEnd(bench.runner, script('echo because >&2; exit 3')),
      {
        kind: 'failed',
        code: 'task-failed',
        message: 'the task ended with exit code 3',
        detail: 'because\n',
        transient: false,
      },
    );
  });

  promise('a missing program fails the task and not the engine', async () => {
    assert.partialDeepStrictEqual(await runToEnd(bench.runner, argv(['/no/such/program'])), {
      kind: 'failed',
      code: 'task-failed',
      transient: false,
    });
  });

  promise('arguments and environment arrive as they are: no shell reads them', async () => {
    const words = ['$(id)', '`id`', "it's", 'a  b', '*', '', '-n', 'é"\\', 'two\nlines'];
    const work = argv(
      [
        '/bin/sh',
        '-c',
        'for word; do printf "[%s]" "$word"; done; printf "{%s}" "$GREETING"',
        'sh',
        ...words,
      ],
      { GREETING: '$HOME; \'"\\ é' },
    );
    const outcome = await runToEnd(bench.runner, work);
    assert.equal(
      textOf(work, 'stdout', outcome),
      `${words.map((word) => `[${word}]`).join('')}{$HOME; '"\\ é}`,
    );
  });

  promise('a job knows its id, its cores and its volumes, and nothing of the service', async () => {
    process.env['CONTRACT_SECRET'] = 'of the service';
    const work = script('env; echo kept > "$VOLUME_MY_DATA/y"; ls in/data', {
      cores,
      volumes: [{ name: 'my-data', path: 'in/data', mode: 'rw' }],
      environment: { PLANNER_JOB_ID: 'forged' },
    });
    const outcome = await runToEnd(bench.runner, work);
    delete process.env['CONTRACT_SECRET'];
    const lines = textOf(work, 'stdout', outcome).split('\n');
    for (const line of [`PLANNER_JOB_ID=${work.job}`, `OMP_NUM_THREADS=${Math.floor(cores)}`, 'y'])
      assert.ok(lines.includes(line), `${line} in ${lines.join('\n')}`);
    assert.ok(!lines.join().includes('of the service'));
  });
  return promises;
}
