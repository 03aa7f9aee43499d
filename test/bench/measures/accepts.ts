import { openDatabase } from '../../../src/db/client.ts';
import { acceptOffer } from '../../../src/planner/record/update-offer.ts';
import { parseOfferId } from '../../../src/words/ids.ts';
import { BENCH_TERMS, emptyBook, makeOffers, WARM_UPS } from './book.ts';
import { floorName } from './floors.ts';
import type { LoadGenerator } from '../load.ts';
import type { BenchPlanner } from '../planners.ts';
import type { BenchServer } from '../processes/server.ts';
import { measureLoop, type Series } from '../sample.ts';

type Case = { readonly spread: number; readonly connections: number; readonly amount: number };

/**
 * Accepts with their outbox row, over HTTP and in a bare loop: spread over all destinations, and
 * all at one. Between the two: an Express route that does nothing but accept.
 */
export function accepts(
  planner: BenchPlanner,
  express: BenchServer,
  load: LoadGenerator,
  amount: number,
): readonly Series[] {
  const { server, destinations: spread } = planner;
  const cases: readonly Case[] = [
    { spread, connections: 1, amount: Math.ceil(amount / 4) },
    { spread, connections: 32, amount },
    { spread: 1, connections: 32, amount },
  ];
  return [
    ...cases.flatMap((one) => [
      overHttp('POST /offers/{id} ACCEPTED', server, planner, load, one),
      inLoop(planner, one),
    ]),
    overHttp('Express: accepts only', express, planner, load, { spread, connections: 32, amount }),
    inLoop(planner, { spread, connections: 8, amount }),
  ];
}

function overHttp(
  what: string,
  server: BenchServer,
  { client }: BenchPlanner,
  load: LoadGenerator,
  one: Case,
): Series {
  return {
    name: `${what}: ${placeOf(one.spread)}, ${one.connections} connections`,
    express: floorName('POST', one.connections),
    bare: loopName(one),
    measure: async () => {
      await emptyBook(client);
      const offers = await makeOffers(client, one.amount, one.spread);
      const sample = await load.send({
        url: server.url,
        method: 'POST',
        body: 'offer: { status: ACCEPTED }',
        paths: offers.map((id) => `/offers/${id}`),
        amount: one.amount,
        connections: one.connections,
      });
      const {
        rows: [row],
      } = await client.query('SELECT count(*)::int AS n FROM job');
      // The generator prepares one more path for each connection than it sends.
      if (Number(row?.n) < one.amount - one.connections)
        throw new Error(`${one.amount} accepts made ${row?.n} jobs`);
      return sample;
    },
  };
}

function placeOf(spread: number): string {
  return spread === 1 ? 'one destination' : `${spread} destinations`;
}

function loopName({ spread, connections }: Case): string {
  return `SQL: accept_offers, ${placeOf(spread)}, ${connections} connections`;
}

/** The planner's own statements, which write accepts together that come at the same time. */
function inLoop({ client, database: url }: BenchPlanner, one: Case): Series {
  return {
    name: loopName(one),
    measure: async () => {
      await emptyBook(client);
      const warmUps = WARM_UPS * one.connections;
      const offers = await makeOffers(client, one.amount + warmUps, one.spread);
      const database = openDatabase(url, 4);
      const run = (ids: readonly string[]) =>
        measureLoop(ids, one.connections, async (id) => {
          const offer = parseOfferId(id);
          if (offer === undefined) throw new Error(`${id} is no offer`);
          const { verdict } = await acceptOffer(database, offer, 'anonymous', BENCH_TERMS);
          if (verdict !== 'accepted') throw new Error(`accept_offers said ${verdict}`);
        });
      try {
        await run(offers.slice(0, warmUps));
        return await run(offers.slice(warmUps));
      } finally {
        await database.$disconnect();
      }
    },
  };
}
