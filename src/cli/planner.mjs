#!/usr/bin/env -S node --no-warnings --max-semi-space-size=16
// The command `planner`. The service needs Node 24 for its sandbox; if an older one starts this
// file, it starts the Node that npm brought with the project
// (docs/adr/0002-node-and-typescript.md).
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const NEEDED = 24;
// Until the service can reload, the signal has nothing to do; it must not end a start.
if (process.argv[2] === 'serve' && !process.stdin.isTTY) process.on('SIGHUP', () => undefined);

const self = fileURLToPath(import.meta.url);
const major = Number(process.versions.node.split('.')[0]);

if (major >= NEEDED) {
  await import('./planner.ts');
} else {
  const own = fileURLToPath(new URL('../../node_modules/.bin/node', import.meta.url));
  if (!existsSync(own)) {
    console.error(
      `planner needs Node ${NEEDED} or newer and found ${process.version}; npm ci brings one on Linux.`,
    );
    process.exit(1);
  }
  const child = spawn(
    own,
    ['--no-warnings', '--max-semi-space-size=16', self, ...process.argv.slice(2)],
    { stdio: 'inherit', env: { ...process.env, PLANNER_STARTER: `${process.pid}` } },
  );
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'])
    process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(code ?? (signal === null ? 1 : 128)));
}
