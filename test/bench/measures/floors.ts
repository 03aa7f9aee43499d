import type { BenchServer } from '../processes/server.ts';
import type { LoadGenerator } from '../load.ts';
import type { Series } from '../sample.ts';
import { YES_ASK } from '../site.ts';

/** The name of this method's floor. */
export function floorName(method: 'GET' | 'POST', connections: number): string {
  return `Express: empty ${method}, ${connections} connections`;
}

/** An empty Express route: the cost of HTTP alone. */
export function floors(
  server: BenchServer,
  load: LoadGenerator,
  amount: number,
): readonly Series[] {
  return (
    [
      ['GET', 1],
      ['POST', 1],
      ['GET', 32],
      ['POST', 32],
    ] as const
  ).map(([method, connections]) => ({
    name: floorName(method, connections),
    measure: () =>
      load.send({
        url: server.url,
        method,
        connections,
        amount: connections === 1 ? Math.ceil(amount / 8) : amount,
        ...(method === 'POST' ? { body: YES_ASK } : {}),
      }),
  }));
}
