import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { until } from '../cli/service-process.ts';
import { offersOf, openClient, reasonsOf, type Reply } from '../harness/client.ts';
import { openFleet, type Fleet, type Replica } from '../harness/fleet.ts';

const SKEW = fileURLToPath(new URL('skew.mjs', import.meta.url));
const MINUTE = 60_000;
const SITE = {
  rules: ['rules.yml'],
  offers: {
    duration: 'PT1M',
    release: 'PT1S',
    lifetime: 'PT5S',
    horizon: 'P1D',
    'max-offers': 1,
    'start-window': 'PT20S',
  },
  destinations: {
    here: {
      runner: 'process',
      'task-types': ['executable'],
      cores: 8,
      memory: '64GiB',
      scratch: '900GiB',
    },
    prepared: {
      runner: 'process',
      'task-types': ['executable'],
      cores: 16,
      memory: '64GiB',
      scratch: '900GiB',
      prepare: 'PT2S',
    },
  },
};
const RULES = { destinations: { here: { runner: 'process' }, prepared: { runner: 'process' } } };
function iso(at: number): string {
  return new Date(at).toISOString();
}
function ask(time?: string, cores = 1): string {
  return JSON.stringify({
    task: {
      type: 'https://www.purl.org/ivoa-net/task-type/executable',
      spec: { command: ['true'] },
    },
    resources: { compute: [{ 'min-cores': cores }] },
    ...(time === undefined ? {} : { time }),
  });
}

type Times = {
  readonly ident: string;
  readonly href: string;
  readonly expires: string;
  readonly 'expires-in': number;
  readonly time: { readonly start: string };
};

// The tests and their database use this machine's clock, which is right here.
describe.each([
  ['ten minutes fast', 10 * MINUTE],
  ['ten minutes slow', -10 * MINUTE],
])('a planner and its workers whose clocks are %s', (_name, skew) => {
  let fleet: Fleet;
  let replica: Replica;
  let right: Replica;
  let send: ReturnType<typeof openClient>;
  beforeAll(async () => {
    fleet = await openFleet(SITE, RULES);
    [replica, right] = await Promise.all([
      fleet.add({ NODE_OPTIONS: `--import ${SKEW}`, SKEW_MS: `${skew}` }),
      fleet.add(),
    ]);
    send = openClient(replica.url);
  });
  afterAll(() => fleet.close());

  const offerOf = (reply: Reply): Times => {
    const [offer] = offersOf(reply);
    if (offer === undefined) throw new Error(reply.text);
    return Object(offer);
  };
  /** A wrong clock is ten minutes off; a slow machine is not four minutes late. */
  const near = (text: string, at: number): void =>
    expect(Math.abs(Date.parse(text) - at)).toBeLessThan(4 * MINUTE);
  const record = async (ident: string): Promise<string> => (await send(`/jobs/${ident}`)).text;

  test('are really wrong: the tests below depend on it', async () => {
    const line = JSON.parse(replica.process.output().split('\n')[0] ?? '');
    expect(Math.abs(line.time - Date.now() - skew)).toBeLessThan(4 * MINUTE);
  });

  test('offers from now by the clock of the database, and says when by the same clock', async () => {
    const offer = offerOf(await send('/request', { body: ask() }));
    near(offer.time.start, Date.now());
    near(offer.expires, Date.now() + 5000);
    expect(offer['expires-in']).toBeGreaterThan(0);
    expect(offer['expires-in']).toBeLessThanOrEqual(5);
    const prepared = offerOf(await send('/request', { body: ask(undefined, 12) }));
    near(prepared.time.start, Date.now() + 2000);
  });

  test('takes a window that is open, whatever its own clock says, and refuses one that is past', async () => {
    const soon = Date.now() + 5 * MINUTE;
    expect(
      offerOf(await send('/request', { body: ask(`${iso(soon)}/${iso(soon + 2 * MINUTE)}`) })).time
        .start,
    ).toBe(iso(soon));
    const past = Date.now() - 5 * MINUTE;
    expect(
      reasonsOf(await send('/request', { body: ask(iso(past)) })).map(({ code }) => code),
    ).toEqual(['time-past']);
    const far = Date.now() + 24 * 60 * MINUTE + 5 * MINUTE;
    expect(
      reasonsOf(await send('/request', { body: ask(iso(far)) })).map(({ code }) => code),
    ).toEqual(['time-beyond-horizon']);
  });

  test('keeps an offer for its lifetime and no longer, and then frees what it held', async () => {
    // Earlier offers need time to expire.
    const offer = await until(
      'all of it is free',
      async () =>
        offersOf(await send('/request', { body: ask(undefined, 16) })).map((one): Times =>
          Object(one),
        )[0],
    );
    const expires = Date.parse(offer.expires);
    expect((await send(`/offers/${offer.ident}`)).text).toContain('OFFERED');
    const state = await until('it has expired', async () => {
      const { text } = await send(`/offers/${offer.ident}`);
      return text.includes('EXPIRED') ? Date.now() : undefined;
    });
    expect(state).toBeGreaterThanOrEqual(expires - 50);
    expect((await send(offer.href, { body: 'status: ACCEPTED' })).status).toBe(410);
    await until(
      'its hold is over',
      async () =>
        (await fleet.db.database.reservation.count({
          where: { state: 'HELD', expiresAt: { lte: new Date(expires) } },
        })) === 0 || undefined,
    );
    expect(Date.now()).toBeLessThan(expires + 4 * MINUTE);
    offerOf(await send('/request', { body: ask(undefined, 16) }));
  });

  test('runs an accepted job at once, and the times of its UWS record are right', async () => {
    const { ident, href } = offerOf(await openClient(right.url)('/request', { body: ask() }));
    expect(
      (await send(href.replace(right.url, replica.url), { body: 'status: ACCEPTED' })).status,
    ).toBe(200);
    const accepted = Date.now();
    await until(
      'it has run',
      async () => (await send(`/jobs/${ident}/phase`)).text.trim() === 'COMPLETED' || undefined,
    );
    expect(Date.now() - accepted).toBeLessThan(4 * MINUTE);
    const text = await record(ident);
    for (const what of ['creationTime', 'startTime', 'endTime'])
      near(new RegExp(`<uws:${what}>([^<]+)`).exec(text)?.[1] ?? '', accepted);
  });

  test('runs a job neither before its time nor minutes after it', async () => {
    const start = Date.now() + 6000;
    const { ident, href } = offerOf(
      await send('/request', { body: ask(`${iso(start)}/${iso(start + 3 * MINUTE)}`) }),
    );
    expect((await send(href, { body: 'status: ACCEPTED' })).status).toBe(200);
    await until(
      'it has run',
      async () => (await send(`/jobs/${ident}/phase`)).text.trim() === 'COMPLETED' || undefined,
    );
    const began = Date.parse(/<uws:startTime>([^<]+)/.exec(await record(ident))?.[1] ?? '');
    expect(began).toBeGreaterThanOrEqual(start);
    expect(began).toBeLessThan(start + 3 * MINUTE);
    expect(await fleet.trips(replica)).toBe(0);
  });
});
