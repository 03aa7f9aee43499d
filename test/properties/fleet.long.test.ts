import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Client } from 'pg';
import { until } from '../cli/service-process.ts';
import { offersOf, openClient, reasonsOf, type Reply, type WireOffer } from '../harness/client.ts';
import { openFleet, type Fleet, type Replica } from '../harness/fleet.ts';
import { runs } from '../harness/runs.ts';
import { askOf, faultsOf, wishes, type Wish } from './wishes.ts';
import { LIVE, oversold, worlds, type World } from './worlds.ts';

/** `FLEET_SEED` replays a world that failed. */
const SEED = Number(process.env['FLEET_SEED'] ?? Date.now() % 1_000_000);
const ASKS = runs(4);
const CLIENTS = 32;
const LIFETIME_S = 4;
/** No maintenance comes while the tests run, however slow the machine is. */
const QUIET_MIN = 120;

const WINNERS = `
  SELECT ask_id FROM offer WHERE state NOT IN ('OFFERED', 'REJECTED', 'EXPIRED') GROUP BY ask_id
  HAVING count(*) > 1`;
const ACCEPTED_BUT = `
  SELECT o.id FROM offer o LEFT JOIN job j USING (id)
  WHERE (o.state NOT IN ('OFFERED', 'REJECTED', 'EXPIRED')) <> (j.id IS NOT NULL)
     OR (j.ended_at IS NULL AND j.id IS NOT NULL AND (SELECT count(*) FROM reservation r
       WHERE r.offer_id = o.id AND r.state = 'FIRM') <> 1)`;
/** Seconds between the expiry of an answer's last hold and its removal. */
const LATEST = `
  SELECT coalesce(max(extract(epoch FROM o.decided_at - ends.at)), 0)::float8 AS s
  FROM offer o JOIN (SELECT ask_id, max(expires_at) AS at FROM reservation WHERE state = 'LAPSED'
    GROUP BY 1) AS ends USING (ask_id)
  WHERE o.state = 'EXPIRED'`;

describe(`32 clients at planners that are replaced meanwhile, one of two processes (FLEET_SEED=${SEED})`, () => {
  let world: World;
  let fleet: Fleet;
  let book: Client;
  const live: Replica[] = [];
  beforeAll(async () => {
    const [first] = fc.sample(worlds(LIFETIME_S, Date.now(), QUIET_MIN), {
      seed: SEED,
      numRuns: 1,
    });
    if (first === undefined) throw new Error('no world');
    world = first;
    fleet = await openFleet(world.site, world.rules);
    book = new Client({ connectionString: fleet.db.url });
    await book.connect();
    live.push(...(await Promise.all([fleet.add(), fleet.add({ PLANNERS: '2' })])));
  });
  afterAll(async () => {
    await book.end();
    await fleet.close();
  });

  /** Sends to one planner or another until one answers; the key marks repetitions. */
  const insist = (path: string, body: string | undefined, key = randomUUID()): Promise<Reply> =>
    until(`${path} is answered`, async () => {
      const replica = live[Math.floor(Math.random() * live.length)];
      if (replica === undefined) return undefined;
      const reply = await openClient(replica.url)(path, {
        ...(body === undefined ? {} : { body }),
        headers: { 'Idempotency-Key': key },
      }).catch(() => undefined);
      return reply === undefined || reply.status >= 500 ? undefined : reply;
    });

  /** The offers for a small ask while nothing is reserved; no maintenance is near. */
  const offered = async (): Promise<readonly unknown[]> => {
    const item = {
      replicas: 1,
      cores: 1,
      moreCores: 15,
      memory: 1,
      moreMemory: 47,
      gpus: 0,
      volume: 0,
    };
    const wish: Wish = {
      items: [item],
      when: { kind: 'now' },
      duration: { min: 60, more: 0 },
      tool: 'sort',
    };
    const offers = offersOf(await insist('/request', askOf(wish, Date.now())));
    for (const { ident } of offers) await insist(`/offers/${ident}`, 'status: REJECTED');
    return offers
      .map((offer) => [String(Object(offer).destination), offer.request.resources.compute] as const)
      .toSorted(([one], [other]) => one.localeCompare(other));
  };
  let atFirst: readonly unknown[] = [];

  const told = { asks: 0, yes: 0, accepted: new Set<string>(), cancelled: new Set<string>() };

  const decide = async (offers: readonly WireOffer[], act: number): Promise<void> => {
    const paths = offers.map(({ ident }) => `/offers/${ident}`);
    const [first = ''] = paths;
    if (act === 0) return;
    if (act === 1) {
      for (const path of paths)
        expect([200, 410]).toContain((await insist(path, 'status: REJECTED')).status);
      return;
    }
    // All offers of the answer, and the first one twice, at any planners.
    const replies = await Promise.all(
      [...paths, first].map(async (path) => ({
        path,
        status: (await insist(path, 'status: ACCEPTED')).status,
      })),
    );
    const won = new Set(replies.filter(({ status }) => status === 200).map(({ path }) => path));
    expect(won.size).toBeLessThanOrEqual(1);
    // An alternative may have expired before another one was accepted.
    for (const { path, status } of replies)
      expect(won.has(path) ? [200] : won.size > 0 ? [409, 410] : [410]).toContain(status);
    const [winner] = won;
    if (winner === undefined) return;
    told.accepted.add(winner);
    if (act > 3) return;
    expect([200, 409]).toContain((await insist(winner, 'status: CANCELLED')).status);
    told.cancelled.add(winner);
  };

  const converse = async (list: readonly Wish[]): Promise<void> => {
    for (const wish of list) {
      const asked = Date.now();
      const reply = await insist('/request', askOf(wish, asked));
      told.asks += 1;
      expect(reply.status).toBe(200);
      expect(faultsOf(world, wish, Object(reply.document['response']), asked, Date.now())).toEqual(
        [],
      );
      const offers = offersOf(reply);
      if (offers.length > 0) told.yes += 1;
      else expect(reasonsOf(reply).length).toBeGreaterThan(0);
      if (offers.length > 0) await decide(offers, Math.floor(Math.random() * 6));
    }
  };

  /** Reads the book repeatedly in one statement: it must be right between any two commits. */
  const watch = async (over: AbortSignal): Promise<number> => {
    let looks = 0;
    for (; !over.aborted; looks += 1) {
      const { rows } = await book.query<Parameters<typeof oversold>[0][number]>(LIVE);
      expect(oversold(rows, world.capacities)).toEqual([]);
      await delay(50);
    }
    return looks;
  };

  test('never oversell, never have two winners, answer every ask, and lose nothing', async () => {
    atFirst = await offered();
    const over = new AbortController();
    const watching = watch(over.signal);
    const wanted = fc.sample(fc.array(wishes, { minLength: ASKS, maxLength: ASKS }), {
      seed: SEED,
      numRuns: CLIENTS,
    });
    const conversing = Promise.allSettled(wanted.map((list) => converse(list)));
    // A new planner replaces each one as an operator does it: the new one is ready before the old
    // one stops.
    for (const old of live.slice()) {
      live.push(await fleet.add());
      live.splice(live.indexOf(old), 1);
      expect((await old.process.stop()).code).toBe(0);
    }
    for (const end of await conversing) if (end.status === 'rejected') throw end.reason;
    over.abort();
    expect(await watching).toBeGreaterThan(10);

    expect(told.asks).toBe(CLIENTS * ASKS);
    expect(told.yes).toBeGreaterThan(0);
    expect((await book.query(WINNERS)).rows).toEqual([]);
    expect((await book.query(ACCEPTED_BUT)).rows).toEqual([]);
    const { rows: jobs } = await book.query<{ id: string }>('SELECT id FROM job');
    expect(new Set(jobs.map(({ id }) => `/offers/${id}`))).toEqual(told.accepted);
  });

  test('every hold ends, and what is freed is offered again', async () => {
    await until(
      'every hold has ended',
      async () =>
        (await book.query(`SELECT 1 FROM reservation WHERE state = 'HELD'`)).rows.length === 0 ||
        undefined,
    );
    const {
      rows: [latest],
    } = await book.query<{ s: number }>(LATEST);
    // The sweeper ticks every second: two seconds on an idle machine, many on a busy one.
    expect(latest?.s).toBeLessThan(120);
    for (const path of told.accepted)
      expect([200, 409]).toContain((await insist(path, 'status: CANCELLED')).status);
    await until(
      'every job is over',
      async () =>
        (await book.query('SELECT 1 FROM job WHERE ended_at IS NULL')).rows.length === 0 ||
        undefined,
    );
    expect((await book.query(LIVE)).rows).toEqual([]);
    const [replica] = live;
    if (replica === undefined) throw new Error('no planner is left');
    expect(await fleet.trips(replica)).toBe(0);
    expect(await offered()).toEqual(atFirst);
  });
});
