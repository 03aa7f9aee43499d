import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { errorCode } from '../../../words/system-error.ts';

const AGAIN_MS = 50;

/** Does work under a name. No two processes of this machine do it at once; the others wait. */
export async function exclusively<Result>(
  name: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const giveBack = await waitFor(name);
  try {
    return await work();
  } finally {
    giveBack();
  }
}

async function waitFor(name: string): Promise<() => void> {
  for (;;) {
    try {
      return await take(name);
    } catch (error) {
      if (errorCode(error) !== 'EADDRINUSE') throw error;
      await delay(AGAIN_MS);
    }
  }
}

/**
 * An abstract socket belongs to one process at a time, and the kernel frees it however that process
 * ends.
 */
function take(name: string): Promise<() => void> {
  return new Promise((done, failed) => {
    const server = createServer().unref();
    server.once('error', failed).listen(`\0${name}`, () => done(() => void server.close()));
  });
}
