import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import {
  findProcess,
  hasEnvironment,
  readProcesses,
} from '../../../src/runners/process/supervise/processes.ts';

/** More than is read of /proc at a time. */
const LONG = 20_000;
const KTHREADD = '/proc/2/stat';
const hasKernelThreads =
  existsSync(KTHREADD) && readFileSync(KTHREADD, 'utf8').includes('(kthreadd)');

test('the processes of the machine are found, with their parents, users and memory', () => {
  const own = readProcesses().find(({ pid }) => pid === process.pid);
  expect(own).toEqual(expect.objectContaining({ parent: process.ppid, uid: process.getuid?.() }));
  expect(own?.memory).toBeGreaterThan(1000);
  expect(findProcess(2 ** 30)).toBeUndefined();
});

test('threads of the kernel are no processes', () => {
  // In a container, another process may have this number.
  expect(hasKernelThreads ? findProcess(2) : undefined).toBeUndefined();
});

test('a marker is found behind an environment of any length', async () => {
  const child = spawn('sleep', ['60'], { env: { FIRST: 'x'.repeat(LONG), MARKER: 'here' } });
  try {
    await once(child, 'spawn');
    expect(hasEnvironment(child.pid ?? 0, 'MARKER=here')).toBe(true);
    expect(hasEnvironment(child.pid ?? 0, 'MARKER=elsewhere')).toBe(false);
  } finally {
    child.kill('SIGKILL');
  }
});
