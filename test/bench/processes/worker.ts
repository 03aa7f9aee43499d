import { setTimeout as sleep } from 'node:timers/promises';
import { emptyBook, makeOffers } from '../measures/book.ts';
import { floorName } from '../measures/floors.ts';
import type { LoadGenerator } from '../load.ts';
import type { BenchPlanner } from '../planners.ts';
import { quantile, type Fact, type Series } from '../sample.ts';

const ACCEPT = `
  SELECT verdict FROM accept_offer($1::uuid, 'anonymous', 'CLIENT', interval '1 hour', interval '7 days')`;

/** Jobs that wait for their client (PENDING), so many. @returns their ids */
export async function makeJobs(
  { client, destinations }: BenchPlanner,
  count: number,
): Promise<readonly string[]> {
  await emptyBook(client);
  const offers = await makeOffers(client, count, destinations);
  for (const id of offers) await client.query(ACCEPT, [id]);
  return offers;
}

/** GET of a job, the request that UWS clients make most. */
export function jobReads(
  planner: BenchPlanner,
  load: LoadGenerator,
  amount: number,
): readonly Series[] {
  return [1, 32].map((connections) => ({
    name: `GET /jobs/{id}: ${connections} connections`,
    express: floorName('GET', connections),
    measure: async () => {
      const [id] = await makeJobs(planner, 1);
      const all = connections === 1 ? Math.ceil(amount / 8) : amount;
      return load.send({
        url: `${planner.server.url}/jobs/${id}`,
        method: 'GET',
        amount: all,
        connections,
      });
    },
  }));
}

/** Long enough for a request to have reached the list of those who wait. */
const SETTLED_MS = 25;

/** How long a client in WAIT waits for what has happened; so many times, one after the other. */
export async function measureWait(planner: BenchPlanner, amount: number): Promise<readonly Fact[]> {
  const times: number[] = [];
  for (const id of await makeJobs(planner, amount)) times.push(await waitOnce(planner, id));
  const name = 'UWS WAIT: from COMMIT of the change to the answer';
  return [
    { name: `${name}, p50`, unit: 'ms', values: [quantile(times, 0.5)] },
    { name: `${name}, p99`, unit: 'ms', values: [quantile(times, 0.99)] },
  ];
}

/**
 * Milliseconds from sending COMMIT of a change of phase until a client that
 * waited for it has the whole answer.
 */
async function waitOnce({ server, client }: BenchPlanner, id: string): Promise<number> {
  const answer = fetch(`${server.url}/jobs/${id}?WAIT=20&PHASE=PENDING`)
    .then((response) => response.text())
    .then((text) => ({ text, at: performance.now() }));
  await sleep(SETTLED_MS);
  await client.query('BEGIN');
  await client.query(
    `SELECT abort_job($1::uuid, '{"code":"aborted","type":"fatal","message":"bench"}')`,
    [id],
  );
  const sent = performance.now();
  const [{ text, at }] = await Promise.all([answer, client.query('COMMIT')]);
  if (!text.includes('ABORTED')) throw new Error('WAIT was answered without the change');
  return at - sent;
}
