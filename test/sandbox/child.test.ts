import { expect, test } from '@jest/globals';
import { startChild } from '../../src/sandbox/child.ts';

/** What a program that took the child over would find. */
const INTRUDER = `
  import { readFileSync, writeFileSync } from 'node:fs';
  import { spawnSync } from 'node:child_process';
  import { Worker } from 'node:worker_threads';
  const attempt = (body) => { try { body(); return 'done'; } catch (error) { return error.code; } };
  const found = {
    environment: Object.keys(process.env),
    readSource: attempt(() => readFileSync('src/sandbox/child.ts')),
    readPasswords: attempt(() => readFileSync('/etc/passwd')),
    write: attempt(() => writeFileSync('/tmp/intruder', '')),
    spawn: attempt(() => { const { error } = spawnSync('/bin/true'); if (error) throw error; }),
    worker: attempt(() => new Worker('1', { eval: true })),
    webAssembly: typeof WebAssembly,
  };
  const message = JSON.stringify(found);
  process.on('message', () => process.send({ kind: 'failed', id: 1, code: 'engine-error', message }));
`;

const BARE = { within: undefined, hasJit: false };
const limits = { memoryMb: 16, decisionMs: 200, loadMs: 1_000, spare: false };

test('a program that takes over the sandbox process has no secrets, files, processes or JIT', async () => {
  process.env['DATABASE_URL'] ??= 'postgres://secret';
  const found = await new Promise<string>((resolve) => {
    const child = startChild({ main: INTRUDER, modules: [] }, BARE, limits, null, {
      onMessage: (message) => {
        child.kill();
        resolve(message.kind === 'failed' ? message.message : message.kind);
      },
      onExit: resolve,
    });
  });
  expect(JSON.parse(found)).toEqual({
    environment: [],
    readSource: 'ERR_ACCESS_DENIED',
    readPasswords: 'ERR_ACCESS_DENIED',
    write: 'ERR_ACCESS_DENIED',
    spawn: 'ERR_ACCESS_DENIED',
    worker: 'ERR_ACCESS_DENIED',
    webAssembly: 'undefined',
  });
});

test.each([
  ['sends a message unlike any of ours', "process.send({ kind: 'answered', id: 'x' })"],
  ['writes no JSON', "writeSync(3, 'x\\n')"],
  ['writes a line without end', "for (;;) writeSync(3, 'x'.repeat(60_000))"],
  ["speaks to Node's own channel", "process.send({ cmd: 'NODE_HANDLE_ACK' })"],
  ["names a handle in Node's words", "process.send({ cmd: 'NODE_HANDLE', type: 'net.Server' })"],
])('a child that %s is killed, and the planner goes on', async (_name, attack) => {
  const main = `
    import { writeSync as write } from 'node:fs';
    const writeSync = (...words) => {
      for (;;) try { return write(...words); } catch ({ code }) { if (code !== 'EAGAIN') throw code; }
    };
    process.on('message', () => { ${attack}; });
  `;
  const why = await new Promise<string>((resolve) => {
    startChild({ main, modules: [] }, BARE, limits, null, {
      onMessage: () => resolve('believed'),
      onExit: resolve,
    });
  });
  expect(why).toMatch(/^the sandbox process ended with SIGKILL/);
});
