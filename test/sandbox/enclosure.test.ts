import { describe, expect, test } from '@jest/globals';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Enclosing } from '../../src/sandbox/enclosure/enclosing.ts';
import { canEnclose, enclosed, FILTER_AT } from '../../src/sandbox/enclosure/words.ts';
import { openSandbox } from '../../src/sandbox/sandbox.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';

const RULES = [{ name: 'r.yml', text: 'destinations: { here: { runner: local } }' }];
const PYTHON = '/usr/bin/python3';

type Ended = { readonly output: string; readonly end: number | string | null };

/** What a command in an enclosure writes, and how it ends. */
async function inside(command: readonly [string, ...string[]]): Promise<Ended> {
  const { command: program, words, filter } = enclosed(command, [], '/');
  const child = spawn(program, words, {
    env: { PATH: new Enclosing().path },
    stdio: ['ignore', 'pipe', 'inherit', 'ignore', 'pipe'],
  });
  const failed = new Promise<string>((resolve) =>
    child.once('error', ({ message }) => resolve(message)),
  );
  const into = child.stdio[FILTER_AT];
  if (!(into instanceof Writable) || child.stdout === null)
    return { output: '', end: await failed };
  into.on('error', () => undefined).end(filter);
  const ended = new Promise<number | string | null>((resolve) =>
    child.once('close', (code, signal) => resolve(signal ?? code)),
  );
  const output = await text(child.stdout);
  return { output, end: await Promise.race([ended, failed]) };
}

const hasBubblewrap = canEnclose() && (await inside([process.execPath, '--version'])).end === 0;
const hasPython = hasBubblewrap && process.arch === 'x64' && existsSync(PYTHON);

/** A program with all rights that the system leaves it: no permission model, no isolate. */
const INTRUDER = `
  import { createSocket } from 'node:dgram';
  import { closeSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
  import { connect } from 'node:net';
  import { spawnSync } from 'node:child_process';
  const attempt = (body) => { try { return body(); } catch (error) { return error.code; } };
  const refused = (thing) => new Promise((resolve) => thing.once('error', ({ code }) => resolve(code)));
  const [port, pid] = process.argv.slice(-2).map(Number);
  console.log(JSON.stringify({
    source: attempt(() => readFileSync(${JSON.stringify(fileURLToPath(import.meta.url))}, 'utf8')),
    passwords: attempt(() => readFileSync('/etc/passwd', 'utf8')),
    write: attempt(() => writeFileSync('/intruder', '')),
    kernel: attempt(() => closeSync(openSync('/proc/sys/kernel/core_pattern', 'r+'))),
    devices: readdirSync('/dev').sort(),
    processes: readdirSync('/proc').filter((name) => Number(name) > 2),
    signal: attempt(() => process.kill(pid, 0)),
    program: attempt(() => spawnSync(process.execPath, ['--version'], { stdio: 'ignore' }).error.code),
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
    vfork=[58], read_other=[310, 1, 0, 0, 0, 0, 0],
    process=[56, 17, 0, 0, 0, 0], namespace=[56, 0x10010000 | 17, 0, 0, 0, 0])
print({ name: call(*map(ctypes.c_long, args)) for name, args in calls.items() }, flush=True)
call(ctypes.c_long(0x40000000 + 39))
print('after x32')
`;
const [EPERM, ENOSYS] = [1, 38];

/** A folder with this script as its bubblewrap, or without one. */
function folderWith(script: string | undefined): string {
  const folder = mkdtempSync(join(tmpdir(), 'no-bubblewrap-'));
  if (script !== undefined)
    writeFileSync(join(folder, 'bwrap'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return folder;
}

/** A bubblewrap that only starts what it should hold. */
const HOLDS_NOTHING =
  'while [ "$1" != -- ]; do shift; done; shift; exec 4<&-; unset PATH; exec "$@"';

function isAlive(pid: number): boolean {
  return existsSync(`/proc/${pid}`);
}

/** The processes of an enclosure from the outermost on; waits until all are there. */
async function processesOf(sandbox: Sandbox): Promise<readonly number[]> {
  let inner = sandbox.pid();
  for (; inner === null; inner = sandbox.pid()) await delay(1);
  const outer: number[] = [];
  for (let pid = inner; pid !== process.pid;) {
    outer.unshift(pid);
    pid = Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  }
  return outer;
}

(hasBubblewrap ? describe : describe.skip)(
  'the enclosure of rules (skipped without bubblewrap)',
  () => {
    test('shows a program with all rights no files, processes, network or secrets', async () => {
      process.env['DATABASE_URL'] ??= 'postgres://secret';
      const server = createServer().listen(0, '127.0.0.1');
      await new Promise((resolve) => server.once('listening', resolve));
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      const words = ['--input-type=module', '--eval', INTRUDER, '--', `${port}`, `${process.pid}`];
      const { output, end } = await inside([process.execPath, ...words]);
      server.close();
      expect({ ...JSON.parse(output), end }).toEqual({
        source: 'ENOENT',
        passwords: 'ENOENT',
        write: 'EROFS',
        kernel: expect.stringMatching(/^(?:EROFS|EACCES)$/),
        devices: ['null', 'urandom'],
        processes: [],
        signal: 'ESRCH',
        program: 'EPERM',
        tcp: 'ENOSYS',
        udp: 'ENOSYS',
        environment: ['PWD'],
        end: 0,
      });
    });

    test('holds what decides, and its rules are compiled unless the site forbids it', async () => {
      const found: unknown[] = [];
      for (const jit of ['enclosed', 'never'] as const) {
        const sandbox = openSandbox({ jit });
        expect(sandbox.stats()).toMatchObject({ isEnclosed: null, hasJit: false });
        expect(await sandbox.load(RULES)).toMatchObject({ kind: 'loaded' });
        found.push(sandbox.stats());
        await sandbox.close();
      }
      expect(found).toMatchObject([
        { isEnclosed: true, hasJit: true },
        { isEnclosed: true, hasJit: false },
      ]);
    });

    test.each([0, 1, 2])(
      'with process %i killed, all are gone, and others decide',
      async (which) => {
        const sandbox = openSandbox();
        await sandbox.load(RULES);
        const before = await processesOf(sandbox);
        expect(before).toHaveLength(3);
        process.kill(before[which] ?? Number.NaN, 'SIGKILL');
        while (before.some(isAlive)) await delay(5);
        const decided = () =>
          sandbox.map({
            tool: { id: 'x', version: null, requirements: [] },
            user: null,
            roles: [],
            inputs: [],
          });
        expect(await decided()).toMatchObject({ kind: 'destination' });
        expect(sandbox.stats()).toMatchObject({ isEnclosed: true, respawns: 1 });
        await sandbox.close();
      },
    );

    test('leaves no process when it is ended while it begins', async () => {
      const seen: number[] = [];
      for (let number = 0; number < 12; number += 1) {
        const sandbox = openSandbox();
        await delay(number % 6);
        const own = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8');
        seen.push(...own.trim().split(' ').map(Number));
        await sandbox.close();
      }
      while (seen.some(isAlive)) await delay(5);
      expect(seen.length).toBeGreaterThan(0);
    });

    test('is kept for later children of a service, however the first ones end', async () => {
      const enclosing = new Enclosing();
      const first = openSandbox({ enclosing });
      await first.load(RULES);
      await first.close();
      enclosing.refuse('once');
      enclosing.refuse('twice');
      expect(enclosing.works).toBe(true);
    });
  },
);

(hasPython ? describe : describe.skip)(
  'the kernel, asked from an enclosure (skipped without bubblewrap and Python)',
  () => {
    test('answers no call that a decision does not need', async () => {
      const { output, end } = await inside([PYTHON, '-c', CALLS]);
      const [answers = ''] = output.split('\n');
      const {
        getpid,
        process: fork,
        namespace,
        ...others
      } = JSON.parse(answers.replaceAll("'", '"'));
      expect([getpid, fork, namespace]).toEqual([0, EPERM, EPERM]);
      expect(new Set(Object.values(others))).toEqual(new Set([ENOSYS]));
      expect(output).not.toContain('after x32');
      expect(end).toBe(128 + 31);
    });
  },
);

describe.each([
  ['is missing', undefined],
  ['is forbidden', 'exit 1'],
  ['aborts', 'kill -ABRT $$'],
  ['holds nothing', HOLDS_NOTHING],
])('where bubblewrap %s', (_name, script) => {
  test('rules are decided outside, and compiled only where the site says so', async () => {
    const folder = folderWith(script);
    const found: unknown[] = [];
    const told: string[] = [];
    for (const jit of ['enclosed', 'always'] as const) {
      const tell = (why: string) => void told.push(why);
      const enclosing = new Enclosing({ tell, path: folder });
      const sandbox = openSandbox({ jit, enclosing });
      expect(await sandbox.load(RULES)).toMatchObject({ kind: 'loaded' });
      const { isEnclosed, hasJit } = sandbox.stats();
      found.push({ isEnclosed, hasJit });
      await sandbox.close();
    }
    rmSync(folder, { recursive: true });
    expect(found).toEqual([
      { isEnclosed: false, hasJit: false },
      { isEnclosed: false, hasJit: true },
    ]);
    expect(told).toHaveLength(canEnclose() ? 2 : 0);
  });
});

(canEnclose() ? describe : describe.skip)(
  'where a site requires bubblewrap and it is missing',
  () => {
    test('no rules are loaded, and the error says so', async () => {
      const enclosing = new Enclosing({ wish: 'required', path: '/nowhere' });
      const sandbox = openSandbox({ enclosing });
      for (const _time of ['first', 'second'])
        expect(await sandbox.load(RULES)).toMatchObject({
          kind: 'failed',
          failure: {
            code: 'sandbox-crashed',
            message: expect.stringMatching(/^sandbox\.isolation is required, and .*bwrap ENOENT/),
          },
        });
      await sandbox.close();
    });
  },
);

test('a site may forbid bubblewrap', async () => {
  const sandbox = openSandbox({ isolation: 'none' });
  expect(await sandbox.load(RULES)).toMatchObject({ kind: 'loaded' });
  expect(sandbox.stats()).toMatchObject({ isEnclosed: false, hasJit: false });
  await sandbox.close();
});

(canEnclose() ? describe : describe.skip)('bubblewrap', () => {
  test('is not given up for one child that could not begin, and is tried again after ten minutes', () => {
    let now = 0;
    const told: string[] = [];
    const tell = (why: string) => void told.push(why);
    const enclosing = new Enclosing({ tell, clock: () => now });
    enclosing.refuse('once');
    expect(enclosing.works).toBe(null);
    enclosing.refuse('twice');
    expect(enclosing.works).toBe(false);
    now = 600_001;
    expect(enclosing.works).toBe(null);
    enclosing.refuse('once');
    enclosing.confirm();
    expect([enclosing.works, told]).toEqual([true, ['twice']]);
  });

  test('that does not hold what a site requires is named in the error', async () => {
    const folder = folderWith(HOLDS_NOTHING);
    const enclosing = new Enclosing({ wish: 'required', path: folder });
    const sandbox = openSandbox({ enclosing });
    expect(await sandbox.load(RULES)).toMatchObject({
      failure: { message: expect.stringMatching(/^sandbox\.isolation is required, and .* hold/) },
    });
    await sandbox.close();
    rmSync(folder, { recursive: true });
  });

  test('that leaves something behind keeps no sandbox from going on', async () => {
    const folder = folderWith('PATH=/bin; sleep 20 & sleep 0.1; exit 1');
    const sandbox = openSandbox({ enclosing: new Enclosing({ path: folder }) });
    expect(await sandbox.load(RULES)).toMatchObject({ kind: 'loaded' });
    await sandbox.close();
    rmSync(folder, { recursive: true });
  });
});

test('without a free file descriptor a child is not started, and the planner goes on', async () => {
  const from = (name: string) =>
    JSON.stringify(new URL(`../../src/sandbox/${name}`, import.meta.url));
  const script = `
    const { startChild } = await import(${from('child.ts')});
    const { Enclosing } = await import(${from('enclosure/enclosing.ts')});
    const { openSync } = await import('node:fs');
    try { for (;;) openSync('/dev/null'); } catch {}
    const limits = { memoryMb: 16, decisionMs: 200, loadMs: 1_000, spare: false };
    for (const within of [undefined, new Enclosing()])
      startChild({ main: '', modules: [] }, { within, hasJit: false }, limits, null,
        { onMessage: () => undefined, onExit: (why) => console.log(why) });
  `;
  const words = ['-c', 'ulimit -n 60; exec "$0" "$@"', process.execPath, '--no-warnings'];
  const { stdout } = spawnSync('sh', [...words, '--input-type=module', '--eval', script]);
  expect(String(stdout).match(/could not be started: spawn \S+ EMFILE/g)).toHaveLength(2);
});
