import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JobResult, Outcome, Runner, Workload } from '../../src/runners/port.ts';
import type { ExecutableTask, Task } from '../../src/tasks/task.ts';
import { ended, newJob, run, shell, stopPatiently, until, workload } from './workloads.ts';

/** A runner under test, and how it is known from outside. */
export type Subject = {
  readonly jobsRoot: string;
  /**
   * The runner as a new executor would make it; several at the same
   * time stand for several executors.
   */
  readonly open: () => Runner;
  /** Whether anything of this job still runs, found without the runner. */
  readonly isAlive: (job: string) => Promise<boolean>;
  /**
   * Makes an engine's own task of a command that the contract needs. The command has
   * /bin/sh and the tools of busybox.
   */
  readonly taskOf?: (task: ExecutableTask) => Task;
  readonly close: () => Promise<void>;
};

/** What an engine cannot do, or does in its own time. */
export type Traits = {
  /**
   * seconds within which short jobs begin and end, also on a busy machine; less than the 300 that
   * those sleep which are stopped
   */
  readonly patience?: number;
  /** seconds by which the end for passing the wall time may be late */
  readonly lateS?: number;
  /** cores that its nodes have for one job */
  readonly cores?: number;
  /**
   * it may say of a job that is stopped that it has not let go of it yet, and is to be told again
   */
  readonly letsGoLate?: boolean;
};

/**
 * What every runner promises (src/runners/port.ts). Tests of an engine call it
 * with a way to open their runner.
 *
 * @param open starts the engine; called once
 */
export function runnerContract(
  name: string,
  open: () => Promise<Subject>,
  { patience = 240, lateS = 5, cores = 2.5, letsGoLate = false }: Traits = {},
): void {
  describe(`the ${name} runner keeps the contract of runners:`, () => {
    let subject: Subject;
    let runner: Runner;
    const runners: Runner[] = [];
    const openRunner = (): Runner => {
      const opened = subject.open();
      runners.push(opened);
      return opened;
    };
    beforeAll(async () => {
      subject = await open();
      runner = openRunner();
    });
    afterAll(async () => {
      for (const one of runners) await one.close();
      await subject?.close();
    });

    const own = (work: Workload): Workload => ({
      ...work,
      task:
        work.task.type === 'executable' && subject.taskOf !== undefined
          ? subject.taskOf(work.task)
          : work.task,
    });
    const script = (text: string, asked: Parameters<typeof shell>[1] = {}): Workload =>
      own(shell(text, asked));
    const argv = (
      command: ExecutableTask['command'],
      environment: Record<string, string> = {},
    ): Workload => own(workload({ type: 'executable', command, environment }));
    const textOf = (work: Workload, id: string, outcome: Outcome): string => {
      const result = outcome.results.find((one: JobResult) => one.id === id);
      return result === undefined
        ? `no result ${id}`
        : readFileSync(join(subject.jobsRoot, work.job, result.path), 'utf8');
    };
    const stopped = (work: Workload): Promise<void> =>
      stopPatiently(runner, work.job, letsGoLate ? patience * 1000 : 0);
    const limit = (patience + lateS) * 4000;

    test(
      'a job that is submitted runs and completes, with what it printed',
      async () => {
        const work = script('echo out; echo err >&2');
        const outcome = await run(runner, work);
        expect(outcome).toMatchObject({ kind: 'completed' });
        expect(textOf(work, 'stdout', outcome)).toBe('out\n');
        expect(textOf(work, 'stderr', outcome)).toBe('err\n');
      },
      limit,
    );

    test(
      'files of the working directory are results, links are not',
      async () => {
        const work = script(
          'mkdir t; echo 1 > "t/a b.csv"; ln -s /etc/passwd link; echo x > y.txt',
        );
        const outcome = await run(runner, work);
        expect(
          outcome.results
            .map(({ id, mimeType, size }) => [id, mimeType, size])
            .filter(([id]) => id !== 'stdout' && id !== 'stderr'),
        ).toEqual([
          ['t_a_b.csv', 'text/csv; charset=utf-8', 2],
          ['y.txt', 'text/plain; charset=utf-8', 2],
        ]);
        expect(textOf(work, 't_a_b.csv', outcome)).toBe('1\n');
      },
      limit,
    );

    test(
      'output is kept byte for byte, even without a final line end',
      async () => {
        const work = script(String.raw`printf 'a\000\377b'; printf 'no end' >&2`);
        const outcome = await run(runner, work);
        const stdout = outcome.results.find(({ id }) => id === 'stdout');
        expect([...readFileSync(join(subject.jobsRoot, work.job, stdout?.path ?? ''))]).toEqual([
          97, 0, 255, 98,
        ]);
        expect(textOf(work, 'stderr', outcome)).toBe('no end');
      },
      limit,
    );

    test(
      'a job that fails has its exit code and the end of its standard error',
      async () => {
        expect(await run(runner, script('echo because >&2; exit 3'))).toMatchObject({
          kind: 'failed',
          code: 'task-failed',
          message: 'the task ended with exit code 3',
          detail: 'because\n',
          transient: false,
        });
      },
      limit,
    );

    test(
      'a missing program fails the task and not the engine',
      async () => {
        expect(await run(runner, argv(['/no/such/program']))).toMatchObject({
          kind: 'failed',
          code: 'task-failed',
          transient: false,
        });
      },
      limit,
    );

    test(
      'arguments and environment arrive as they are: no shell reads them',
      async () => {
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
        const outcome = await run(runner, work);
        expect(textOf(work, 'stdout', outcome)).toBe(
          `${words.map((word) => `[${word}]`).join('')}{$HOME; '"\\ é}`,
        );
      },
      limit,
    );

    test(
      'a job knows its id, its cores and its volumes, and nothing of the service',
      async () => {
        process.env['CONTRACT_SECRET'] = 'of the service';
        const work = script('env; echo kept > "$VOLUME_MY_DATA/y"; ls in/data', {
          cores,
          volumes: [{ name: 'my-data', path: 'in/data', mode: 'rw' }],
          environment: { PLANNER_JOB_ID: 'forged' },
        });
        const outcome = await run(runner, work);
        delete process.env['CONTRACT_SECRET'];
        const lines = textOf(work, 'stdout', outcome).split('\n');
        expect(lines).toEqual(
          expect.arrayContaining([
            `PLANNER_JOB_ID=${work.job}`,
            `OMP_NUM_THREADS=${Math.floor(cores)}`,
            'y',
          ]),
        );
        expect(lines.join()).not.toContain('of the service');
      },
      limit,
    );

    test(
      'a job that is submitted again runs once',
      async () => {
        const work = script('echo run >> count; sleep 1');
        await Promise.all([runner.submit(work), runner.submit(work)]);
        await runner.submit(work);
        const outcome = await ended(runner, work.job, patience * 1000);
        await runner.submit(work);
        expect(textOf(work, 'count', outcome)).toBe('run\n');
        expect(await runner.look(work.job)).toEqual({ state: 'ended', outcome });
      },
      limit,
    );

    test(
      'an unknown job is absent; stopping and removing it does nothing',
      async () => {
        const job = newJob();
        await runner.stop(job, 'cancelled');
        await runner.remove(job);
        expect(await runner.look(job)).toEqual({ state: 'absent' });
      },
      limit,
    );

    test(
      'a job that is stopped ends with everything it started, and says who stopped it',
      async () => {
        const work = script(
          `trap '' TERM; echo begun; (setsid sh -c 'trap "" TERM; sleep 300' &) ; sleep 300`,
        );
        await runner.submit(work);
        await until(
          () =>
            existsSync(join(subject.jobsRoot, work.job, 'stdout')) &&
            readFileSync(join(subject.jobsRoot, work.job, 'stdout'), 'utf8') === 'begun\n',
          'output while it runs',
        );
        expect(await runner.look(work.job)).toEqual({ state: 'running' });
        await stopped(work);
        expect(await subject.isAlive(work.job)).toBe(false);
        expect(await runner.look(work.job)).toMatchObject({
          state: 'ended',
          outcome: {
            kind: 'stopped',
            reason: 'cancelled',
            results: expect.arrayContaining([expect.objectContaining({ id: 'stdout', size: 6 })]),
          },
        });
      },
      limit,
    );

    test(
      'output can be read while the job runs, and goes on when another executor takes it over',
      async () => {
        const work = script('echo first; echo trouble >&2; sleep 4; echo second; sleep 300');
        const holds = (file: string, text: string) => (): boolean => {
          const path = join(subject.jobsRoot, work.job, file);
          return existsSync(path) && readFileSync(path, 'utf8') === text;
        };
        const before = subject.open();
        await before.submit(work);
        await until(holds('stdout', 'first\n'), 'output while it runs');
        await until(holds('stderr', 'trouble\n'), 'errors while it runs');
        await before.close();
        await until(
          async () => (await runner.look(work.job)).state === 'running',
          'the run that is taken over',
        );
        await until(holds('stdout', 'first\nsecond\n'), 'more output');
        await stopped(work);
        expect(await runner.look(work.job)).toMatchObject({
          state: 'ended',
          outcome: {
            results: expect.arrayContaining([expect.objectContaining({ id: 'stdout', size: 13 })]),
          },
        });
      },
      limit,
    );

    test(
      'a job that has ended stays as it ended when it is stopped',
      async () => {
        const work = script('exit 0');
        const outcome = await run(runner, work);
        await runner.stop(work.job, 'cancelled');
        expect(await runner.look(work.job)).toEqual({ state: 'ended', outcome });
      },
      limit,
    );

    test(
      'a job is stopped when its wall time is over',
      async () => {
        const work = script('echo begun; sleep 300', { wallTime: 1 });
        const begun = performance.now();
        expect(await run(runner, work)).toMatchObject({
          kind: 'stopped',
          reason: 'wall-time',
          message: expect.stringContaining('after 1 s'),
        });
        expect(performance.now() - begun).toBeLessThan((patience + lateS) * 1000);
        expect(await subject.isAlive(work.job)).toBe(false);
      },
      limit,
    );

    test(
      'a job that takes more memory than offered does not get it',
      async () => {
        const outcome = await run(
          runner,
          script('x=$(head -c 400000000 /dev/zero | tr "\\0" a); echo ${#x}; sleep 300', {
            memory: 64,
            wallTime: 60,
          }),
        );
        expect(outcome.kind).not.toBe('completed');
        // An allocation that was refused is the task's own failure.
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
            runner,
            script('while :; do head -c 1000000 /dev/zero; done > /dev/stderr', { scratch: 5 }),
          ),
        ).toMatchObject({ kind: 'stopped', reason: 'output' });
        expect(
          await run(
            runner,
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

    test(
      'a job goes on when its executor dies, and the next executor learns how it ended',
      async () => {
        const first = openRunner();
        const work = script(
          'echo one; until [ -e go ]; do sleep 0.2; done; echo two; echo kept > kept.txt',
        );
        await first.submit(work);
        await first.close();
        const second = openRunner();
        expect(['queued', 'running']).toContain((await second.look(work.job)).state);
        await second.submit(work);
        writeFileSync(join(subject.jobsRoot, work.job, 'work', 'go'), '');
        const outcome = await ended(second, work.job, patience * 1000);
        expect(outcome).toMatchObject({ kind: 'completed' });
        expect(textOf(work, 'stdout', outcome)).toBe('one\ntwo\n');
        expect(textOf(work, 'kept.txt', outcome)).toBe('kept\n');
      },
      limit,
    );

    test(
      'a job that ended while no executor was there has its results',
      async () => {
        const first = openRunner();
        const work = script('echo one; sleep 1; echo two; exit 4');
        await first.submit(work);
        await first.close();
        await until(async () => !(await subject.isAlive(work.job)), 'the end of the job');
        const outcome = await ended(openRunner(), work.job, patience * 1000);
        expect(outcome).toMatchObject({
          kind: 'failed',
          message: 'the task ended with exit code 4',
        });
        expect(textOf(work, 'stdout', outcome)).toBe('one\ntwo\n');
      },
      limit,
    );

    test(
      'listeners hear of the end',
      async () => {
        const told: string[] = [];
        const work = script('sleep 0.3');
        runner.onEnded(
          (job) =>
            void (job === work.job && runner.look(job).then(({ state }) => told.push(state))),
        );
        await runner.submit(work);
        await until(() => told.includes('ended'), 'the call');
        expect(told.filter((state) => state === 'ended')).toHaveLength(1);
      },
      limit,
    );

    test(
      'a job that is removed is stopped first and leaves nothing',
      async () => {
        const work = script('mkdir -p a/b; echo x > a/b/c; chmod 500 a/b a; sleep 300');
        await runner.submit(work);
        await runner.remove(work.job);
        expect(await subject.isAlive(work.job)).toBe(false);
        expect(existsSync(join(subject.jobsRoot, work.job))).toBe(false);
        expect(await runner.look(work.job)).toEqual({ state: 'absent' });
      },
      limit,
    );

    test(
      'twenty jobs at once all run, and keep their output apart',
      async () => {
        const works = Array.from({ length: 20 }, (_, index) =>
          script(`echo ${index}; echo ${index} > own.txt`),
        );
        await Promise.all(works.map((work) => runner.submit(work)));
        for (const [index, work] of works.entries()) {
          const outcome = await ended(runner, work.job, patience * 4000);
          expect(textOf(work, 'stdout', outcome)).toBe(`${index}\n`);
          expect(textOf(work, 'own.txt', outcome)).toBe(`${index}\n`);
        }
      },
      limit * 4,
    );
  });
}
