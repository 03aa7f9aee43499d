import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  hasEnvironment,
  findProcess,
  readProcesses,
} from '../../src/runners/process/supervise/processes.ts';
import { PLAIN } from '../../src/runners/process/start/isolation.ts';
import { processRunner } from '../../src/runners/process-runner.ts';
import { parseOfferId } from '../../src/words/ids.ts';
import type { RunId } from '../../src/words/run-id.ts';
import { asRoot, ended, removeRoot, shell, temporaryRoot, until } from './workloads.ts';

const root = temporaryRoot();
const submitter = fileURLToPath(new URL('submitter.ts', import.meta.url));
type Users = 'own' | 'service';
/** `best`: the best isolation of the machine; see test/runners/process/isolations.ts */
type Held = 'best' | 'rlimits';
const kinds: readonly (readonly [Users, Held])[] = [
  ...(asRoot
    ? ([
        ['own', 'best'],
        ['own', 'rlimits'],
      ] as const)
    : []),
  ['service', 'best'],
  ['service', 'rlimits'],
];
let held: Held = 'best';

function newRunner(users: Users) {
  return processRunner({
    jobsRoot: join(root, users),
    urls: { allowHosts: [], fileRoots: [] },
    ...(held === 'rlimits' ? { isolation: PLAIN } : {}),
    ...(users === 'service' ? { uids: 'service' } : {}),
  });
}

function leftOf(job: string) {
  return readProcesses().filter(({ pid }) => hasEnvironment(pid, `PLANNER_JOB_ID=${job}`));
}

function scriptOf(users: Users, job: RunId) {
  return Number(readFileSync(fileOf(users, job, 'status'), 'utf8').split(' ')[1]);
}

function fileOf(users: Users, job: RunId, path: string) {
  return join(root, users, job, path);
}

/** Submits in another process and kills it with SIGKILL. */
async function submitAndDie(users: Users, script: string, wallTime = 60): Promise<RunId> {
  const child = spawn(
    process.execPath,
    ['--no-warnings', submitter, join(root, users), users, script, String(wallTime), held],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const [line] = await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'exit');
  const job = parseOfferId(String(line).trim());
  if (job === undefined) throw new Error(`no job id: ${String(line)}`);
  return job;
}

afterAll(() => removeRoot(root));

describe.each(kinds)(
  'after the executor was killed in the middle, a job that runs as %s user, held by %s isolation,',
  (users, how) => {
    beforeAll(() => {
      held = how;
    });

    test('goes on, and a new executor learns how it ended', async () => {
      const job = await submitAndDie(
        users,
        'while [ ! -e go ]; do sleep 0.05; done; echo done; exit 5',
      );
      const runner = newRunner(users);
      expect(await runner.look(job)).toEqual({ state: 'running' });
      await runner.submit({ ...shell('echo twice'), job });
      const told: RunId[] = [];
      runner.onEnded((id) => told.push(id));
      writeFileSync(fileOf(users, job, 'work/go'), '');
      expect(await ended(runner, job)).toMatchObject({
        kind: 'failed',
        message: 'the task ended with exit code 5',
      });
      expect(readFileSync(fileOf(users, job, 'stdout'), 'utf8')).toBe('done\n');
      await runner.close();
    });

    test('ends while nobody looks, and the new executor learns of it', async () => {
      const job = await submitAndDie(users, 'exit 0');
      await until(() => leftOf(job).length === 0, 'the job is over');
      const runner = newRunner(users);
      expect(await ended(runner, job)).toMatchObject({ kind: 'completed' });
      const lent = users === 'own' ? readdirSync(join(root, users, '.uids')) : [];
      expect(lent).toEqual([]);
      await runner.close();
    });

    test('keeps its wall time, children outside its session included', async () => {
      const job = await submitAndDie(users, '(setsid sleep 300 &); sleep 300', 1);
      await until(() => leftOf(job).length === 0, 'all its processes are stopped');
      const runner = newRunner(users);
      expect(await ended(runner, job)).toMatchObject({ kind: 'stopped', reason: 'wall-time' });
      await runner.close();
    });

    test('is watched by the new executor, which stops it on request', async () => {
      const greedy = `for i in 1 2 3 4; do (x=$(head -c 40000000 /dev/zero | tr '\\0' a); sleep 300; :) & done; wait`;
      const job = await submitAndDie(users, `while [ ! -e go ]; do sleep 0.05; done; ${greedy}`);
      const other = await submitAndDie(users, '(setsid sleep 300 &); sleep 300');
      const runner = newRunner(users);
      expect(await runner.look(job)).toEqual({ state: 'running' });
      writeFileSync(fileOf(users, job, 'work/go'), '');
      expect(await ended(runner, job)).toMatchObject({ kind: 'stopped', reason: 'memory' });
      await runner.stop(other, 'cancelled');
      expect(leftOf(other)).toEqual([]);
      await runner.remove(other);
      expect(existsSync(join(root, users, other))).toBe(false);
      await runner.close();
    });

    test('is lost when its launch script was killed too, and nothing of it stays', async () => {
      const job = await submitAndDie(users, '(setsid sleep 300 &); echo begun >&2; sleep 300');
      const script = scriptOf(users, job);
      await until(() => leftOf(job).length >= 3, 'it runs');
      process.kill(script, 'SIGKILL');
      await until(() => findProcess(script) === undefined, 'the script is gone');
      const runner = newRunner(users);
      expect(await runner.look(job)).toMatchObject({
        state: 'ended',
        outcome: { kind: 'failed', code: 'run-lost', transient: true, detail: 'begun\n' },
      });
      expect(leftOf(job)).toEqual([]);
      expect(readProcesses().filter(({ group }) => group === script)).toEqual([]);
      await runner.close();
    });

    test('is not confused with a process that reuses its pid, nor with one from before a reboot', async () => {
      const job = await submitAndDie(users, 'sleep 300');
      const status = readFileSync(fileOf(users, job, 'status'), 'utf8');
      const runner = newRunner(users);
      await runner.stop(job, 'cancelled');
      const changed = [status.replace(/ \d+ /, ' 1 '), status.replace(/[0-9a-f]{8}-/, '00000000-')];
      for (const [index, text] of changed.entries()) {
        const work = shell('true');
        const place = (path: string) => fileOf(users, work.job, path);
        await runner.submit(work);
        await ended(runner, work.job);
        // The directory of a run whose script had this process's pid.
        writeFileSync(place('status'), text.replace(/^start \d+/, `start ${process.pid}`));
        rmSync(place('outcome.json'));
        expect([index, await runner.look(work.job)]).toMatchObject([
          index,
          { state: 'ended', outcome: { code: 'run-lost' } },
        ]);
      }
      await runner.close();
    });
  },
);

test('a run whose executor died before it started is absent, and starts when it is submitted again', async () => {
  held = 'rlimits';
  const runner = newRunner('service');
  const [before, again] = [shell('echo fresh'), shell('')];
  await runner.submit(before);
  await ended(runner, before.job);
  const place = fileOf('service', again.job, '');
  renameSync(fileOf('service', before.job, ''), place);
  for (const name of ['started', 'status', 'outcome.json', 'stdout']) rmSync(join(place, name));
  writeFileSync(
    join(place, 'job.sh'),
    readFileSync(join(place, 'job.sh'), 'utf8').replaceAll(before.job, again.job),
  );
  expect(await runner.look(again.job)).toEqual({ state: 'absent' });
  await runner.submit(again);
  expect(await ended(runner, again.job)).toMatchObject({ kind: 'completed' });
  expect(readFileSync(join(place, 'stdout'), 'utf8')).toBe('fresh\n');
  await runner.close();
});
