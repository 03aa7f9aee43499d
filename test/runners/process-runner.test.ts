import { afterAll, describe, expect, test } from '@jest/globals';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readProcesses, hasEnvironment } from '../../src/runners/process/supervise/processes.ts';
import { PLAIN } from '../../src/runners/process/start/isolation.ts';
import { processRunner } from '../../src/runners/process-runner.ts';
import {
  asRoot,
  ended,
  newJob,
  removeRoot,
  run,
  shell,
  temporaryRoot,
  until,
  workload,
} from './workloads.ts';
import type { RunId } from '../../src/words/run-id.ts';

const root = temporaryRoot();
const urls = { allowHosts: [], fileRoots: [] };
process.env['DATABASE_URL'] = 'postgresql://planner:very-secret@127.0.0.1/planner';

/**
 * Both ways to run a service, as root with a user for each job or as an ordinary user, on machines
 * without bubblewrap and cgroups. test/runners/process has the tests with them.
 */
const kinds = asRoot ? (['own', 'service'] as const) : (['service'] as const);
function runnerOf(users: 'own' | 'service', tasks = 512) {
  return processRunner({
    jobsRoot: join(root, users),
    urls,
    tasks,
    isolation: PLAIN,
    ...(users === 'service' ? { uids: 'service' } : {}),
  });
}
const runners = {
  own: asRoot ? runnerOf('own') : runnerOf('service'),
  service: runnerOf('service'),
};
function textOf(users: 'own' | 'service', job: RunId, path: string) {
  return readFileSync(join(root, users, job, path), 'utf8');
}
/** Launch scripts of a job; each leads a session. */
function scriptsOf(script: string) {
  return readProcesses().filter(({ pid, session }) => {
    return pid === session && readText(`/proc/${pid}/cmdline`).includes(script);
  });
}
function readText(path: string) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
function leftOf(job: string) {
  return readProcesses().filter(({ pid }) => hasEnvironment(pid, `PLANNER_JOB_ID=${job}`));
}

afterAll(async () => {
  await runners.own.close();
  await runners.service.close();
  delete process.env['DATABASE_URL'];
  removeRoot(root);
});

describe.each(kinds)('a job that runs as %s user, held by rlimits,', (users) => {
  const runner = runners[users];

  test('has its output and its files as results', async () => {
    const work = shell(
      'echo out; echo err >&2; mkdir t; echo 1 > "t/a b.csv"; echo x > t/a_b.csv; ln -s /etc/passwd link; mkfifo f',
    );
    const outcome = await run(runner, work);
    expect(outcome.kind).toBe('completed');
    expect(outcome.results).toEqual([
      { id: 'stdout', path: 'stdout', mimeType: 'text/plain; charset=utf-8', size: 4 },
      { id: 'stderr', path: 'stderr', mimeType: 'text/plain; charset=utf-8', size: 4 },
      { id: 't_a_b.csv', path: 'work/t/a b.csv', mimeType: 'text/csv; charset=utf-8', size: 2 },
      { id: 't_a_b.csv-2', path: 'work/t/a_b.csv', mimeType: 'text/csv; charset=utf-8', size: 2 },
    ]);
    expect(textOf(users, work.job, 'stdout')).toBe('out\n');
  });

  test('sees its own environment and nothing of the service', async () => {
    const asked = {
      cores: 2.5,
      environment: { GREETING: "it's $HOME", HOME: '/root', LD_PRELOAD: '' },
      volumes: [{ name: 'my-data', path: 'in/data', mode: 'rw' }] as const,
    };
    const work = shell('env; pwd; echo x > "$VOLUME_MY_DATA/y"; ls in/data; ls /proc/$$/fd', asked);
    expect(await run(runner, work)).toMatchObject({ kind: 'completed' });
    const home = join(root, users, work.job, 'work');
    const lines = textOf(users, work.job, 'stdout').split('\n');
    expect(lines.filter((line) => /^[A-Z_]+=/.test(line)).sort()).toEqual([
      "GREETING=it's $HOME",
      `HOME=${home}`,
      'LANG=C.UTF-8',
      'LD_PRELOAD=',
      'OMP_NUM_THREADS=2',
      'PATH=/usr/local/bin:/usr/bin:/bin',
      `PLANNER_JOB_ID=${work.job}`,
      `PWD=${home}`,
      `TMPDIR=${join(root, users, work.job, 'tmp')}`,
      `VOLUME_MY_DATA=${home}/in/data`,
    ]);
    expect(lines).toContain('y');
    expect(lines).not.toContain('3');
    expect(textOf(users, work.job, 'stdout')).not.toContain('secret');
  });

  test('fails with its exit code, its signal and the end of its standard error', async () => {
    const failing = await run(
      runner,
      shell('head -c 9000 /dev/zero | tr "\\0" a >&2; echo last >&2; exit 3'),
    );
    expect(failing).toMatchObject({
      kind: 'failed',
      code: 'task-failed',
      message: 'the task ended with exit code 3',
      transient: false,
    });
    expect(failing.kind === 'failed' && failing.detail).toMatch(/^a{4091}last\n$/);
    expect(await run(runner, shell('kill -SEGV $$'))).toMatchObject({
      code: 'task-failed',
      message: 'the task ended with signal SIGSEGV',
    });
  });

  test('fails with a clear message when the program does not exist', async () => {
    for (const command of ['no-such-program', '/etc/passwd', './nothing'])
      expect(
        await run(runner, workload({ type: 'executable', command: [command], environment: {} })),
      ).toMatchObject({
        kind: 'failed',
        code: 'task-failed',
        message: `the program ${command} is not on this machine`,
        results: [],
      });
  });

  test('is found by submit, look and stop as often as they are called', async () => {
    const work = shell('echo run >> count; until [ -e go ]; do sleep 0.05; done');
    await Promise.all([runner.submit(work), runner.submit(work)]);
    expect(await runner.look(work.job)).toEqual({ state: 'running' });
    await runner.submit(work);
    writeFileSync(join(root, users, work.job, 'work/go'), '');
    const outcome = await ended(runner, work.job);
    await runner.submit(work);
    await runner.stop(work.job, 'cancelled');
    expect(await runner.look(work.job)).toEqual({ state: 'ended', outcome });
    expect(textOf(users, work.job, 'work/count')).toBe('run\n');
    await runner.remove(work.job);
    expect(await runner.look(work.job)).toEqual({ state: 'absent' });
    expect(existsSync(join(root, users, work.job))).toBe(false);
    await runner.remove(work.job);
    expect(await runner.look(newJob())).toEqual({ state: 'absent' });
  });

  test('goes on when another executor has begun it between the look and the start of this one', async () => {
    const [first, second] = [runnerOf(users), runnerOf(users)];
    const work = shell('until [ -e go ]; do sleep 0.05; done');
    const begunBefore = async () => {
      await first.submit(work);
      return true;
    };
    await second.submit({ ...work, claim: { attempt: 2, isHeld: begunBefore } });
    await until(
      () => scriptsOf(join(root, users, work.job, 'job.sh')).length === 1,
      'one script is over',
    );
    // Its end has been heard of by now.
    await second.look(work.job);
    await second.close();
    expect(await first.look(work.job)).toEqual({ state: 'running' });
    writeFileSync(join(root, users, work.job, 'work/go'), '');
    expect(await ended(first, work.job)).toMatchObject({ kind: 'completed' });
    await first.close();
  });

  test('is stopped with everything it started, children that left its session included', async () => {
    const work = shell(
      `trap '' TERM; (setsid sh -c 'trap "" TERM; (setsid sleep 300 &) ; sleep 300' &) ; setsid sleep 300 & sleep 300`,
    );
    await runner.submit(work);
    await until(() => leftOf(work.job).length >= 5, 'five processes');
    await runner.stop(work.job, 'cancelled');
    expect(leftOf(work.job)).toEqual([]);
    expect(await runner.look(work.job)).toMatchObject({
      state: 'ended',
      outcome: { kind: 'stopped', reason: 'cancelled' },
    });
  });

  test('leaves nothing behind when it ends by itself', async () => {
    const work = shell('(setsid sleep 300 >/dev/null 2>&1 &); exit 0');
    expect(await run(runner, work)).toMatchObject({ kind: 'completed' });
    expect(leftOf(work.job)).toEqual([]);
  });

  test('is stopped when its wall time is over', async () => {
    const outcome = await run(
      runner,
      shell('echo begun; (setsid sleep 300 &); sleep 300', { wallTime: 1 }),
    );
    expect(outcome).toMatchObject({
      kind: 'stopped',
      reason: 'wall-time',
      message: expect.stringContaining('after 1 s'),
    });
  });

  test('has its limits from the kernel', async () => {
    const work = shell('cat /proc/self/limits', {
      memory: 100,
      scratch: 20,
      wallTime: 30,
      cores: 2,
    });
    await run(runner, work);
    const limits = new Map(
      textOf(users, work.job, 'stdout')
        .split('\n')
        .map((line) => [line.slice(0, 26).trim(), line.slice(26, 46).trim()]),
    );
    expect(Object.fromEntries(limits)).toMatchObject({
      'Max cpu time': '61',
      'Max data size': String(164 * 1024 ** 2),
      'Max file size': String(21 * 1024 ** 2),
      'Max core file size': '0',
      'Max open files': '1024',
      ...(users === 'own' ? { 'Max processes': '512' } : {}),
    });
  });

  test('is stopped by its wall time when it computes all that time', async () => {
    const work = shell('while :; do :; done', { wallTime: 1 });
    expect(await run(runner, work)).toMatchObject({ kind: 'stopped', reason: 'wall-time' });
  });

  test('is stopped when it computes on more cores than it has', async () => {
    // Two seconds of a core, for which a busy machine has time enough.
    const work = shell('while :; do :; done', { wallTime: 200, cores: 0.005 });
    expect(await run(runner, work)).toMatchObject({ kind: 'stopped', reason: 'cpu-time' });
  });

  test('is stopped when its processes together use more memory than offered', async () => {
    const eat = 'x=$(head -c 40000000 /dev/zero | tr "\\0" a); sleep 300; :';
    const outcome = await run(
      runner,
      shell(`for i in 1 2 3 4; do (${eat}) & done; wait`, { memory: 100 }),
    );
    expect(outcome).toMatchObject({
      kind: 'stopped',
      reason: 'memory',
      message: expect.stringMatching(/it used \d+ MiB of memory, and 100 MiB were offered/),
    });
  });

  test('cannot get more memory in one process than offered', async () => {
    const outcome = await run(
      runner,
      shell('x=$(head -c 900000000 /dev/zero | tr "\\0" a); echo still here', { memory: 64 }),
    );
    expect(outcome.kind).not.toBe('completed');
  });

  test('is stopped when it fills the disk, with files or with output', async () => {
    const files = 'i=0; while :; do i=$((i+1)); head -c 3000000 /dev/zero > f$i; sleep 0.05; done';
    expect(await run(runner, shell(files, { scratch: 20 }))).toMatchObject({
      kind: 'stopped',
      reason: 'output',
      message: expect.stringMatching(/it wrote \d+ MiB, and 20 MiB/),
    });
    const flood = shell('yes', { scratch: 20 });
    expect(await run(runner, flood)).toMatchObject({ kind: 'stopped', reason: 'output' });
    expect(statSync(join(root, users, flood.job, 'stdout')).size).toBeLessThanOrEqual(
      21 * 1024 ** 2,
    );
  });

  test('is refused a volume at a path of the machine', async () => {
    const outcome = await run(
      runner,
      shell('true', { volumes: [{ name: 'd', path: '/data', mode: 'rw' }] }),
    );
    expect(outcome).toMatchObject({
      kind: 'failed',
      code: 'runner-failed',
      message: expect.stringContaining('must be relative, such as data'),
    });
  });

  test('notifies listeners of its end', async () => {
    const told: RunId[] = [];
    runner.onEnded((job) => told.push(job));
    const work = shell('sleep 0.2');
    await runner.submit(work);
    await until(() => told.includes(work.job), 'the listener was called');
    expect(await runner.look(work.job)).toMatchObject({ state: 'ended' });
    expect(told.filter((job) => job === work.job)).toHaveLength(1);
  });
});

const onlyRoot = asRoot ? describe : describe.skip;
onlyRoot('a job that has a user of its own and rlimits', () => {
  const runner = runners.own;

  test('cannot forge its outcome, nor read what the service keeps', async () => {
    const dir = '$(dirname "$HOME")';
    const work = shell(`
      for f in status job.json outcome.json stopped.json; do echo "exit 0" >> ${dir}/$f; cat ${dir}/$f; done
      echo "exit 0" > /proc/$PPID/fd/3; echo "exit 0" >&3; mv ${dir}/status ${dir}/x; ls ${dir} ; ls ${dir}/..
      echo forged > /dev/stdout; id -u; exit 7`);
    const outcome = await run(runner, work);
    expect(outcome).toMatchObject({ kind: 'failed', message: 'the task ended with exit code 7' });
    expect(textOf('own', work.job, 'stdout')).toMatch(/^forged\n6\d{4}\n$/);
    expect(textOf('own', work.job, 'status')).not.toContain('exit 0');
  });

  test('cannot see the files of another job', async () => {
    const other = shell('echo mine > secret.txt; sleep 300');
    await runner.submit(other);
    await until(
      () => existsSync(join(root, 'own', other.job, 'work/secret.txt')),
      'the other job wrote',
    );
    const work = shell(
      `cat ${join(root, 'own', other.job, 'work/secret.txt')}; kill -9 -1; ls ${join(root, 'own', other.job)}`,
    );
    await run(runner, work);
    expect(textOf('own', work.job, 'stdout')).toBe('');
    expect(await runner.look(other.job)).toEqual({ state: 'running' });
    await runner.stop(other.job, 'cancelled');
  });

  test('cannot start processes without limit', async () => {
    const small = runnerOf('own', 24);
    const work = shell(
      'bomb() { sleep 300 & (bomb) & (bomb) & (bomb) & wait; }; (bomb) 2>/dev/null & wait',
    );
    await small.submit(work);
    await until(() => leftOf(work.job).length > 8, 'it forks');
    expect(leftOf(work.job).length).toBeLessThanOrEqual(24);
    await small.stop(work.job, 'cancelled');
    expect(leftOf(work.job)).toEqual([]);
    await small.close();
  });

  test('cannot hide its memory by clearing its environment and leaving its session', async () => {
    const hidden = `exec env -i setsid sh -c 'x=$(head -c 40000000 /dev/zero | tr "\\0" a); sleep 300; :'`;
    const outcome = await run(
      runner,
      shell(`for i in 1 2 3 4; do ( ${hidden} ) & done; sleep 300`, { memory: 100 }),
    );
    expect(outcome).toMatchObject({ kind: 'stopped', reason: 'memory' });
  });

  test('returns its user when it has ended', async () => {
    const work = shell('sleep 300');
    await runner.submit(work);
    expect(readdirSync(join(root, 'own/.uids'))).toHaveLength(1);
    await runner.stop(work.job, 'cancelled');
    await runner.look(work.job);
    expect(readdirSync(join(root, 'own/.uids'))).toEqual([]);
  });

  test('is charged for what it writes outside its directory, and leaves nothing there', async () => {
    const work = shell(
      // No text of ours can be this name.
      String.raw`d=/tmp/stray-$PLANNER_JOB_ID-$(printf '\377'); mkdir "$d"; cd "$d";
        head -c 30000000 /dev/zero > x; sleep 300`,
      { scratch: 20 },
    );
    expect(await run(runner, work)).toMatchObject({ kind: 'stopped', reason: 'output' });
    expect(readdirSync('/tmp').filter((name) => name.includes(work.job))).toEqual([]);
    const file = shell('echo x > /dev/shm/stray-$PLANNER_JOB_ID');
    await run(runner, file);
    expect(existsSync(`/dev/shm/stray-${file.job}`)).toBe(false);
  });

  test('closes its directory when it has ended', async () => {
    const work = shell('true');
    await run(runner, work);
    expect(statSync(join(root, 'own', work.job)).mode & 0o777).toBe(0o700);
  });
});

test('no process of all these jobs is left', () => {
  const commandOf = (pid: number) =>
    existsSync(`/proc/${pid}`) ? readFileSync(`/proc/${pid}/cmdline`, 'utf8') : '';
  expect(readProcesses().filter(({ pid }) => commandOf(pid).includes(root))).toEqual([]);
});
