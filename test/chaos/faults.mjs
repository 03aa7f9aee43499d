import childProcess from 'node:child_process';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';

/*
 * `node --import test/chaos/faults.mjs workers/executor.ts`: an executor that can die at every
 * step. A step is before or after an effect outside the process: each call of the file system, each
 * program that it starts, each request to an engine, and each statement on the book that takes,
 * holds, advances or ends a job. The parent process sends over the IPC channel what happens at
 * which step from now on: `{ at, fault: 'stop' | 'kill' | 'delay', ms }`.
 */
const STATEMENTS = [
  'take_job',
  'begin_next',
  'begin_job',
  'hold_job',
  'advance_job',
  'finish_job',
  'put_back_job',
];
let armed;
let steps = 0;

process.on('message', (order) => {
  armed = order;
  steps = 0;
  // From now on, no earlier order can strike.
  process.send?.(order.at);
});

for (const name of [
  'writeFile',
  'rename',
  'link',
  'rm',
  'rmdir',
  'unlink',
  'mkdir',
  'readFile',
  'readdir',
  'chmod',
  'chown',
  'lstat',
  'open',
])
  around(fs.promises, name);
for (const name of ['spawn', 'execFile']) around(childProcess, name);

// Statements on the book, and requests to engines.
const realWrite = net.Socket.prototype.write;
net.Socket.prototype.write = function stepping(...words) {
  const [data] = words;
  const text = typeof data === 'string' || Buffer.isBuffer(data) ? data : '';
  const isOfBook = STATEMENTS.some((name) => text.includes(name));
  const isRequest = /^(GET|POST|PATCH|DELETE) \//.test(text.slice(0, 8).toString());
  if (isOfBook || isRequest) step();
  const result = Reflect.apply(realWrite, this, words);
  if (isOfBook || isRequest) step();
  return result;
};
syncBuiltinESMExports();

function around(owner, name) {
  const real = owner[name];
  owner[name] = function stepping(...words) {
    step();
    const result = Reflect.apply(real, this, words);
    if (!(result instanceof Promise)) {
      step();
      return result;
    }
    return result.then((value) => {
      step();
      return value;
    });
  };
}

function step() {
  steps += 1;
  if (armed === undefined || steps !== armed.at) return;
  const { fault, ms } = armed;
  armed = undefined;
  if (fault === 'delay') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  else process.kill(process.pid, fault === 'kill' ? 'SIGKILL' : 'SIGSTOP');
}
