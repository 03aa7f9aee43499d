import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';

/** Ports below this are for privileged programs. */
const LEAST = 1024;
/** The number of ports to choose from. */
const RANGE = 10_000;

/**
 * A free port of this machine. It is below those that the kernel gives to connections and servers
 * by itself, so that nobody takes it by chance before its service starts, or between two starts.
 */
export async function freePort(): Promise<number> {
  const below = Math.min(RANGE, firstGiven() - LEAST);
  for (;;) {
    const port = await listeningAt(below > 0 ? firstGiven() - 1 - randomInt(below) : 0);
    if (port !== undefined) return port;
  }
}

/** The first port that the kernel gives by itself. */
function firstGiven(): number {
  return Number(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split(/\s/)[0]);
}

/** Listens for a moment, at any port for 0. @returns the port, or undefined if somebody has it */
function listeningAt(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
      .once('error', () => resolve(undefined))
      .listen(port, '127.0.0.1', () => {
        const address = server.address();
        server.close(() => resolve(typeof address === 'object' ? address?.port : undefined));
      });
  });
}
