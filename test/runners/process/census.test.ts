import { describe, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  hasEnvironment,
  membersOf,
  findProcess,
  sharedOnce,
  ticksSinceBoot,
  type Process,
} from '../../../src/runners/process/supervise/processes.ts';
import { checkMemory, checkWallTime } from '../../../src/runners/process/supervise/limits.ts';
import { mebibytes, millicores, seconds } from '../../../src/words/units.ts';

function entry(pid: number, parent: number, group: number, session: number, uid = 0): Process {
  return { pid, parent, group, session, uid, startTicks: 1, memory: 1024 };
}
const script = entry(100, 1, 100, 100);
const timer = entry(101, 100, 100, 100);
const job = entry(110, 100, 110, 110, 61_200);
const child = entry(111, 110, 110, 110, 61_200);
const escaped = entry(112, 1, 112, 112, 61_200);
const beside = entry(113, 1, 114, 112, 61_200);
const stranger = entry(200, 1, 200, 200, 1000);
const machine = [script, timer, job, child, escaped, beside, stranger];
function pids(members: readonly Process[]) {
  return members.map(({ pid }) => pid).sort((a, b) => a - b);
}

describe('the processes of a job', () => {
  test('are those of its user, and never the launch script and its timer', () => {
    expect(pids(membersOf({ script: 100, uid: 61_200, isMarked: () => false }, machine))).toEqual([
      110, 111, 112, 113,
    ]);
  });

  test('without a user of its own are its descendants, its sessions and what carries its mark', () => {
    expect(
      pids(membersOf({ script: 100, uid: undefined, isMarked: () => false }, machine)),
    ).toEqual([110, 111]);
    expect(
      pids(membersOf({ script: 100, uid: undefined, isMarked: (pid) => pid === 112 }, machine)),
    ).toEqual([110, 111, 112, 113]);
  });

  test('are not the children of a process that reuses the pid of a dead script', () => {
    expect(pids(membersOf({ script: -1, uid: undefined, isMarked: () => false }, machine))).toEqual(
      [],
    );
  });
});

describe('/proc is read for', () => {
  test('a process with a strange name, its environment and its start', async () => {
    const before = ticksSinceBoot();
    const running = spawn('/bin/sh', ['-c', 'read line'], {
      env: { MARK: 'a=b' },
      argv0: 'x) Z (y',
    });
    await once(running, 'spawn');
    const pid = running.pid ?? 0;
    expect(findProcess(pid)).toMatchObject({ pid, parent: process.pid });
    expect(findProcess(pid)?.startTicks).toBeGreaterThanOrEqual(before - 100);
    expect(hasEnvironment(pid, 'MARK=a=b')).toBe(true);
    expect(hasEnvironment(pid, 'MARK=a')).toBe(false);
    running.kill('SIGKILL');
    await once(running, 'exit');
    expect(findProcess(pid)).toBeUndefined();
    expect(hasEnvironment(pid, 'MARK=a=b')).toBe(false);
  });

  test('memory with shared pages counted once', () => {
    const own = findProcess(process.pid);
    if (own === undefined) throw new Error('this process runs');
    expect(own.memory).toBeGreaterThan(10_000);
    expect(sharedOnce([own])).toBeGreaterThan(10_000);
    expect(sharedOnce([own])).toBeLessThan(own.memory * 1.2);
  });
});

describe('limits', () => {
  const limits = {
    cores: millicores(1000),
    memory: mebibytes(3),
    scratch: mebibytes(10),
    wallTime: seconds(60),
  };
  test('hold up to the last byte', () => {
    expect(checkMemory(limits, [job, child, escaped])).toBeUndefined();
    expect(checkMemory(limits, [job, child, escaped, beside])).toEqual({
      reason: 'memory',
      message: 'stopped: it used 4 MiB of memory, and 3 MiB were offered',
    });
    expect(checkWallTime(limits, 1000, 1000 + 65 * 100)).toBeUndefined();
    expect(checkWallTime(limits, 1000, 1000 + 66 * 100)).toEqual({
      reason: 'wall-time',
      message: 'stopped after 60 s, its execution duration',
    });
  });
});
