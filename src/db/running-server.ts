import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';

/** A PostgreSQL server on 127.0.0.1. */
export type Running = { readonly pid: number; readonly port: number };

/** The running server of this cluster, if any, as soon as it answers. */
export async function findRunning(cluster: string): Promise<Running | undefined> {
  const { pid, port, isReady } = await readPidFile(cluster);
  if (!(pid > 0) || !(port > 0) || !isReady || !serverIsAlive(pid)) return undefined;
  return (await answers(port)) ? { pid, port } : undefined;
}

/** Whether a server has this cluster, though it may not answer yet. */
export async function isServed(cluster: string): Promise<boolean> {
  const { pid } = await readPidFile(cluster);
  return pid > 0 && serverIsAlive(pid);
}

/** Whether there is a process with this id. */
export function serverIsAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Line 1 of postmaster.pid is its pid, line 4 its port, line 8 `ready`. */
async function readPidFile(cluster: string): Promise<Running & { readonly isReady: boolean }> {
  const lines = await readFile(join(cluster, 'postmaster.pid'), 'utf8').then(
    (text) => text.split('\n'),
    () => [],
  );
  return { pid: Number(lines[0]), port: Number(lines[3]), isReady: lines[7]?.trim() === 'ready' };
}

function answers(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect({ host: '127.0.0.1', port, timeout: 1000 });
    const end = (result: boolean) => () => {
      socket.destroy();
      done(result);
    };
    socket.once('connect', end(true)).once('error', end(false)).once('timeout', end(false));
  });
}
