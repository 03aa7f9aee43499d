import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { clientVenv, CLIENT } from '../../clients/venv.ts';
import { freePort } from '../../harness/free-port.ts';
import { benchUsers, credentialOf, writeBenchSite } from '../site.ts';

/*
 * npm run bench:clients [-- imports|asks|follows]
 *
 * What the Python client costs, beside Python and httpx, with a service as people start it. The
 * programs in clients/python/bench end with an error where they miss their goals.
 */

const PLANNER = join(CLIENT, '../../src/cli/planner.mjs');

const wanted = process.argv.slice(2);
const folder = await mkdtemp(join(tmpdir(), 'planner-bench-'));
try {
  // Jobs run as their own users, who must reach their folders.
  await chmod(folder, 0o755);
  await bench();
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function bench(): Promise<void> {
  const [{ siteFile }, port, python] = await Promise.all([
    writeBenchSite(folder, 1),
    freePort(),
    clientVenv({ extras: [] }),
  ]);
  const url = `http://127.0.0.1:${port}`;
  const token = credentialOf(benchUsers[0] ?? '').replace('Bearer ', '');
  const service = spawn(process.execPath, ['--no-warnings', PLANNER, 'serve'], {
    env: {
      PATH: process.env['PATH'],
      DATA_DIR: join(folder, 'data'),
      SITE_FILE: siteFile,
      PORT: `${port}`,
      LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const exited = once(service, 'exit');
  try {
    await untilReady(url);
    console.log('| | median (range) | at most |\n|---|---|---|');
    await measure(python, 'imports');
    await measure(python, 'asks', url, token);
    await measure(python, 'follows');
  } finally {
    service.kill('SIGTERM');
    await exited;
  }
}

/** Runs one of the programs, which prints its row. */
async function measure(python: string, name: string, ...words: readonly string[]): Promise<void> {
  if (wanted.length > 0 && !wanted.includes(name)) return;
  const program = join(CLIENT, 'bench', `${name}.py`);
  const child = spawn(python, [program, ...words], { stdio: ['ignore', 'inherit', 'inherit'] });
  const [code] = await once(child, 'exit');
  if (code !== 0) process.exitCode = 1;
}

async function untilReady(url: string): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    const response = await fetch(`${url}/readyz`).catch(() => undefined);
    if (response?.ok === true) return;
    await sleep(100);
  }
  throw new Error(`${url} is not ready after a minute`);
}
