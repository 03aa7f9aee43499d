import { describe, expect, test } from '@jest/globals';
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { startChild } from '../../src/sandbox/child.ts';
import { canEnclose, enclosed, FILTER_AT } from '../../src/sandbox/enclosure.ts';
import { openSandbox } from '../../src/sandbox/sandbox.ts';
import type { SandboxStats } from '../../src/sandbox/sandbox.ts';

const BWRAP = [
  '--unshare-user',
  '--unshare-net',
  '--disable-userns',
  '--ro-bind',
  '/',
  '/',
  'true',
];
const hasBubblewrap = canEnclose() && spawnSync('bwrap', BWRAP).status === 0;
const PYTHON = '/usr/bin/python3';
const hasPython = hasBubblewrap && process.arch === 'x64' && existsSync(PYTHON);
const RULES = [{ name: 'r.yml', text: 'destinations: { here: { runner: local } }' }];

/** What a command in an enclosure writes, and how it ends. */
async function inside(
  command: readonly [string, ...string[]],
): Promise<{ readonly output: string; readonly end: number | string | null }> {
  const { command: program, words, filter } = enclosed(command, [], '/');
  const child = spawn(program, words, {
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'inherit', 'ignore', 'pipe'],
  });
  const into = child.stdio[FILTER_AT];
  if (!(into instanceof Writable) || child.stdout === null) throw new Error('no pipes');
  into.end(filter);
  const ended = new Promise<number | string | null>((resolve) =>
    child.once('close', (code, signal) => resolve(signal ?? code)),
  );
  return { output: await text(child.stdout), end: await ended };
}

/** A program with all rights that the system leaves it: no permission model, no isolate. */
const INTRUDER = `
  import { createSocket } from 'node:dgram';
  import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
  import { connect } from 'node:net';
  import { spawnSync } from 'node:child_process';
  const attempt = (body) => { try { return body(); } catch (error) { return error.code; } };
  const refused = (thing) => new Promise((resolve) => thing.once('error', ({ code }) => resolve(code)));
  const [port, pid] = process.argv.slice(-2).map(Number);
  console.log(JSON.stringify({
    source: attempt(() => readFileSync('${fileURLToPath(import.meta.url)}', 'utf8')),
    passwords: attempt(() => readFileSync('/etc/passwd', 'utf8')),
    write: attempt(() => writeFileSync('/intruder', '')),
    tmp: attempt(() => writeFileSync('/tmp/intruder', '')),
    processes: readdirSync('/proc').filter((name) => Number(name) > 2),
    signal: attempt(() => process.kill(pid, 0)),
    program: attempt(() => spawnSync('/bin/true').error.code),
    tcp: await refused(connect(port, '127.0.0.1')),
    udp: await refused(createSocket('udp4').bind(0)),
    environment: Object.keys(process.env),
  }));
`;

/** Calls of the kernel, by their numbers on x86-64, and what they answer. */
const CALLS = `
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
def call(*args):
    ctypes.set_errno(0)
    libc.syscall(*args)
    return ctypes.get_errno()
calls = dict(getpid=[39], socket=[41, 1, 1, 0], ptrace=[101, 0, 0, 0, 0], mount=[165, 0, 0, 0, 0, 0],
    unshare=[272, 0x10000000], setns=[308, 0, 0], bpf=[321, 0, 0, 0], keyctl=[250, 0, 0, 0, 0, 0],
    io_uring=[425, 1, 0], perf=[298, 0, 0, 0, 0, 0], userfaultfd=[323, 0], clone3=[435, 0, 0],
    namespace=[56, 0x10000000 | 17, 0, 0, 0, 0], read_other=[310, 1, 0, 0, 0, 0, 0])
print({ name: call(*map(ctypes.c_long, args)) for name, args in calls.items() }, flush=True)
call(ctypes.c_long(0x40000000 + 39))
print('after x32')
`;
const [EPERM, ENOSYS] = [1, 38];

(hasBubblewrap ? describe : describe.skip)(
  'the enclosure of rules (skipped without bubblewrap)',
  () => {
    test('shows a program with all rights no files, processes, network or secrets', async () => {
      process.env['DATABASE_URL'] ??= 'postgres://secret';
      const server = createServer().listen(0, '127.0.0.1');
      await new Promise((resolve) => server.once('listening', resolve));
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      const words = ['--input-type=module', '--eval', INTRUDER, '--'];
      const { output, end } = await inside([
        process.execPath,
        ...words,
        String(port),
        String(process.pid),
      ]);
      server.close();
      expect({ ...JSON.parse(output), end }).toEqual({
        source: 'ENOENT',
        passwords: 'ENOENT',
        write: 'EROFS',
        tmp: 'ENOENT',
        processes: [],
        signal: 'ESRCH',
        program: 'ENOSYS',
        tcp: 'ENOSYS',
        udp: 'ENOSYS',
        environment: ['PWD'],
        end: 0,
      });
    });

    test('holds what decides, and its rules are compiled', async () => {
      const sandbox = openSandbox();
      expect(await sandbox.load(RULES)).toMatchObject({ kind: 'loaded' });
      expect(sandbox.stats()).toMatchObject({ isEnclosed: true, hasJit: true });
      await sandbox.close();
    });

    test('lets a site forbid compiling', async () => {
      const sandbox = openSandbox({ jit: 'never' });
      expect(await sandbox.load(RULES)).toMatchObject({ kind: 'loaded' });
      expect(sandbox.stats()).toMatchObject({ isEnclosed: true, hasJit: false });
      await sandbox.close();
    });

    test('is gone with its child', async () => {
      const limits = { memoryMb: 16, decisionMs: 200, loadMs: 1_000, spare: false };
      const main = "process.on('message', () => process.send({ kind: 'ready', hasSpare: false }));";
      const why = await new Promise<string>((resolve) => {
        const hold = { isEnclosed: true, hasJit: true };
        const child = startChild({ main, modules: [] }, hold, limits, null, {
          onMessage: () => process.kill(child.pid ?? 0, 'SIGKILL'),
          onExit: resolve,
        });
      });
      expect(why).toBe('the sandbox process ended with SIGKILL');
    });
  },
);

(hasPython ? describe : describe.skip)(
  'the kernel, asked from an enclosure (skipped without bubblewrap and Python)',
  () => {
    test('answers no call that a decision does not need', async () => {
      const { output, end } = await inside([PYTHON, '-c', CALLS]);
      const [answers = ''] = output.split('\n');
      const { getpid, namespace, ...others } = JSON.parse(answers.replaceAll("'", '"'));
      expect([getpid, namespace]).toEqual([0, EPERM]);
      expect(new Set(Object.values(others))).toEqual(new Set([ENOSYS]));
      expect(output).not.toContain('after x32');
      expect(end).toBe(128 + 31);
    });
  },
);

describe.each([
  ['missing', undefined],
  ['forbidden', 'exit 1'],
])('where bubblewrap is %s', (_name, script) => {
  test('rules are decided outside, and never compiled unless the site says so', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'no-bubblewrap-'));
    const { PATH } = process.env;
    if (script !== undefined) {
      writeFileSync(join(folder, 'bwrap'), `#!/bin/sh\n${script}\n`);
      chmodSync(join(folder, 'bwrap'), 0o755);
    }
    process.env['PATH'] = folder;
    const found: Pick<SandboxStats, 'isEnclosed' | 'hasJit' | 'respawns'>[] = [];
    try {
      for (const jit of ['enclosed', 'always'] as const) {
        const sandbox = openSandbox({ jit });
        expect(await sandbox.load(RULES)).toMatchObject({ kind: 'loaded' });
        const { isEnclosed, hasJit, respawns } = sandbox.stats();
        found.push({ isEnclosed, hasJit, respawns });
        await sandbox.close();
      }
    } finally {
      process.env['PATH'] = PATH;
      rmSync(folder, { recursive: true });
    }
    expect(found).toEqual([
      { isEnclosed: false, hasJit: false, respawns: 0 },
      { isEnclosed: false, hasJit: true, respawns: 0 },
    ]);
  });
});
