import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client } from 'pg';
import { connectionOf } from '../../src/db/connection.ts';
import { until } from '../cli/service-process.ts';
import { writeSites } from '../harness/book.ts';
import { openTestDatabase } from '../harness/database.ts';
import { offersOf, openClient, type WireOffer } from '../harness/client.ts';
import { openFleet, type Fleet, type Replica } from '../harness/fleet.ts';
import { openProxy, type Proxy } from './proxy.ts';

const SITE = {
  rules: ['rules.yml'],
  offers: { duration: 'PT2M', release: 'PT1S', lifetime: 'PT4S' },
  destinations: {
    here: {
      runner: 'process',
      'task-types': ['executable'],
      cores: 40,
      memory: '40GiB',
      scratch: '900GiB',
    },
  },
};
const RULES = { destinations: { here: { runner: 'process' } } };
function ask(...command: readonly string[]): string {
  return JSON.stringify({
    task: { type: 'https://www.purl.org/ivoa-net/task-type/executable', spec: { command } },
  });
}

/**
 * 12 s for a statement and 10 s for a connection (src/db/connection.ts), twice for two statements,
 * plus time for a slow machine.
 */
const BOUND_MS = 35_000;

describe('a database connection that goes silent and does not break', () => {
  let fleet: Fleet;
  let proxy: Proxy;
  let replica: Replica;
  let send: ReturnType<typeof openClient>;
  beforeAll(async () => {
    let through = '';
    fleet = await openFleet(SITE, RULES, () => through);
    proxy = await openProxy(fleet.db.url);
    through = proxy.url;
    replica = await fleet.add();
    send = openClient(replica.url);
  });
  afterAll(async () => {
    await fleet.close();
    await proxy.close();
  });

  const offer = async (...command: readonly string[]): Promise<WireOffer> => {
    const reply = await send('/request', { body: ask(...command) });
    const [first] = offersOf(reply);
    if (first === undefined) throw new Error(`no offer: ${reply.status} ${reply.text}`);
    return first;
  };
  const start = async (...command: readonly string[]): Promise<string> => {
    const { href, ident } = await offer(...command);
    expect((await send(href, { body: 'status: ACCEPTED' })).status).toBe(200);
    return `/jobs/${ident}`;
  };
  const phase = async (job: string): Promise<string> => (await send(`${job}/phase`)).text.trim();

  test('every request is answered within the bound, and everything works again with the network', async () => {
    const forgotten = await offer('true');
    const running = await start('sleep', '12');
    await until('it runs', async () => (await phase(running)) === 'EXECUTING' || undefined);
    const waiting = send(`${running}?WAIT=60`).then((reply) => ({ reply, at: Date.now() }));
    proxy.stall();

    const begun = Date.now();
    const asked = Array.from({ length: 30 }, () => send('/request', { body: ask('true') }));
    const others = [
      send(`/offers/${forgotten.ident}`),
      send(`/offers/${forgotten.ident}`, { body: 'status: ACCEPTED' }),
      send(`${running}/phase`),
      send('/readyz'),
    ];
    const replies = await Promise.all([...asked, ...others]);
    expect(Date.now() - begun).toBeLessThan(BOUND_MS);
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([503]));

    proxy.resume();
    const job = await until('asks are answered and offers accepted again', () =>
      start('true').catch(() => undefined),
    );
    await until(
      'the executor takes jobs',
      async () => (await phase(job)) === 'COMPLETED' || undefined,
    );
    await until(
      'the executor follows what it had begun',
      async () => (await phase(running)) === 'COMPLETED' || undefined,
    );
    // The answer comes when the dead listening connection is detected, not after the request's own
    // minute; the next connection works.
    const { reply, at } = await waiting;
    expect([200, 503]).toContain(reply.status);
    expect(at - begun).toBeLessThan(55_000);
    const short = await start('sleep', '10');
    await until('it runs', async () => (await phase(short)) === 'EXECUTING' || undefined);
    const heard = Date.now();
    expect((await send(`${short}?WAIT=60`)).status).toBe(200);
    expect(Date.now() - heard).toBeLessThan(55_000);
    await until('the sweeper ends holds', async () => {
      const left = await fleet.db.database.reservation.count({
        where: { state: 'HELD', expiresAt: { lt: new Date() } },
      });
      return left === 0 || undefined;
    });
    expect(await fleet.trips(replica)).toBe(0);
  });
});

test('a lock of a client whose network went away is released within seconds', async () => {
  const db = await openTestDatabase();
  await writeSites(db.database, { here: 1 });
  const proxy = await openProxy(db.url);
  const lost = new Client(connectionOf(proxy.url, 'planner'));
  lost.on('error', () => undefined);
  await lost.connect();
  await lost.query('BEGIN');
  await lost.query('SELECT 1 FROM destination FOR UPDATE');
  proxy.stall();
  const begun = Date.now();
  await db.database.$executeRaw`UPDATE destination SET open = open`.catch(() => undefined);
  await db.database.$executeRaw`UPDATE destination SET open = open`;
  expect(Date.now() - begun).toBeLessThan(20_000);
  expect(Date.now() - begun).toBeGreaterThan(1000);
  await proxy.close();
  await db.close();
});
