import { openDatabase } from '../../../src/db/client.ts';
import { acceptOffer, type AcceptTerms } from '../../../src/planner/record/update-offer.ts';
import { parseOfferId } from '../../../src/words/ids.ts';
import { seconds } from '../../../src/words/units.ts';
import { emptyBook, makeOffers, WARM_UPS } from './book.ts';
import { floorName } from './floors.ts';
import type { LoadGenerator } from '../load.ts';
import type { BenchPlanner } from '../planners.ts';
import { measureLoop, type Series } from '../sample.ts';

type Case = { readonly spread: number; readonly connections: number; readonly amount: number };

/** A job may wait an hour for its executor, results stay a week. */
const TERMS: AcceptTerms = {
  start: 'AUTO',
  queueLimit: seconds(3600),
  keepResults: seconds(604_800),
};

/**
 * Accepts with their outbox row, over HTTP and in a bare loop: spread over all destinations, and
 * all at one.
 */
export function accepts(
  planner: BenchPlanner,
  load: LoadGenerator,
  amount: number,
): readonly Series[] {
  const cases: readonly Case[] = [
    { spread: planner.destinations, connections: 1, amount: Math.ceil(amount / 4) },
    { spread: planner.destinations, connections: 32, amount },
    { spread: 1, connections: 32, amount },
  ];
  return [
    ...cases.flatMap((one) => [overHttp(planner, load, one), inLoop(planner, one)]),
    inLoop(planner, { spread: planner.destinations, connections: 8, amount }),
  ];
}

function overHttp({ server, client }: BenchPlanner, load: LoadGenerator, one: Case): Series {
  return {
    name: `POST /offers/{id} ACCEPTED: ${placeOf(one.spread)}, ${one.connections} connections`,
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
          const { verdict } = await acceptOffer(database, offer, 'anonymous', TERMS);
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
