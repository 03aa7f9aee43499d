import { setTimeout as sleep } from 'node:timers/promises';
import { emptyBook, makeOffers } from '../measures/book.ts';
import { floorName } from '../measures/floors.ts';
import type { LoadGenerator } from '../load.ts';
import type { BenchPlanner } from '../planners.ts';
import { quantile, type Fact, type Series } from '../sample.ts';

const ACCEPT = `
  SELECT verdict FROM accept_offer($1::uuid, 'anonymous', 'CLIENT', interval '1 hour', interval '7 days')`;

/** Makes this many jobs that wait for their client (PENDING). @returns their ids */
export async function makeJobs(
  { client, destinations }: BenchPlanner,
  count: number,
): Promise<readonly string[]> {
  await emptyBook(client);
  const offers = await makeOffers(client, count, destinations);
  for (const id of offers) await client.query(ACCEPT, [id]);
  return offers;
}

/** GET of a job, the most frequent request of UWS clients. */
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

/** Enough time for a request to start waiting. */
const SETTLED_MS = 25;

/** How long a client in WAIT waits for an event, measured this many times in sequence. */
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
 * Milliseconds from the COMMIT of a change of phase until a waiting client has the whole answer.
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
