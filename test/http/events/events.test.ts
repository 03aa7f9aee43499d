import { afterEach, describe, expect, test } from '@jest/globals';
import { offersOf, type WireOffer } from '../../harness/client.ts';
import { contractFaults } from '../../harness/contract.ts';
import { serveTests } from '../../harness/serve.ts';
import { processDestination, tokenOf } from '../../harness/site.ts';
import { until } from '../../uws/clients/worker.ts';
import { openStream, type Sent, type Stream } from './stream.ts';

const LARGE = processDestination({ cores: 64, memory: '800GiB', scratch: '8TiB' });
const SITE = {
  rules: ['rules.yml'],
  identity: { tokens: [tokenOf('ada-token'), tokenOf('bob-token')] },
  destinations: { a: LARGE, b: LARGE },
};
const RULES = { destinations: { a: { runner: 'process' }, b: { runner: 'process' } } };
const ASK =
  'task: {type: "https://www.purl.org/ivoa-net/task-type/executable", spec: {command: [sort]}}';
const SCHEMAS: Readonly<Record<string, string>> = {
  offer: 'OfferEvent',
  job: 'JobEvent',
  book: 'BookEvent',
};

describe('GET /events', () => {
  const service = serveTests(SITE, RULES);
  const open: Stream[] = [];
  const faults: string[] = [];
  afterEach(() => {
    for (const stream of open) {
      for (const { event, data } of stream.events('offer', 'job', 'book'))
        faults.push(...contractFaults(SCHEMAS[event] ?? '', data));
      stream.leave();
    }
    open.length = 0;
  });

  const listen = async (token?: string, last?: string): Promise<Stream> => {
    const stream = await openStream(`${service.url}/events`, token, last);
    open.push(stream);
    await until(() => stream.events('book').length > 0);
    return stream;
  };
  const ask = async (token?: string): Promise<readonly WireOffer[]> =>
    offersOf(await service.send('/request', { token, body: ASK }));
  const update = async (offer: WireOffer | undefined, status: string, token?: string) =>
    service.send(`/offers/${offer?.ident}`, {
      token,
      body: `{status: ${status}, ${status === 'ACCEPTED' ? 'start: client' : ''}}`,
    });
  const states = (stream: Stream, offer: WireOffer | undefined): readonly unknown[] =>
    stream
      .events('offer', 'job')
      .filter(({ data }) => data['id'] === offer?.ident)
      .map(({ event, data }) => `${event} ${data['state']}`);

  test('begins with start, and tells offers that are made, accepted and rejected, and the job', async () => {
    const stream = await listen('ada-token');
    expect(stream.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
    });
    // The service may connect to the database's notifications only then, which is a start, too.
    const [first, second] = stream.events().map(({ event }) => event);
    expect([first, second]).toEqual(['start', expect.stringMatching(/^(?:start|book)$/)]);
    const [offer, sibling] = await ask('ada-token');
    await until(() => states(stream, sibling).length === 1);
    await update(offer, 'ACCEPTED', 'ada-token');
    await until(() => states(stream, offer).length === 3 && states(stream, sibling).length === 2);
    expect(states(stream, offer).toSorted()).toEqual([
      'job ACCEPTED',
      'offer ACCEPTED',
      'offer OFFERED',
    ]);
    expect(states(stream, sibling)).toEqual(['offer OFFERED', 'offer REJECTED']);
    expect(stream.events('job')[0]?.data).toEqual({
      id: offer?.ident,
      state: 'ACCEPTED',
      phase: 'PENDING',
    });
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    await service.send(`/jobs/${offer?.ident}/phase`, {
      token: 'ada-token',
      headers: form,
      body: 'PHASE=ABORT',
    });
    await until(() => stream.events('job').at(-1)?.data['phase'] === 'ABORTED');
  });

  test('tells that an offer expired', async () => {
    const stream = await listen('ada-token');
    const offers = await ask('ada-token');
    await until(() => states(stream, offers[0]).length === 1);
    const ids = offers.map(({ ident }) => ident);
    await service.db.database.$executeRaw`
      UPDATE offer SET expires_at = clock_timestamp() WHERE id = ANY (${ids}::uuid[])`;
    await until(() => states(stream, offers[0]).length === 2);
    expect(states(stream, offers[0])).toEqual(['offer OFFERED', 'offer EXPIRED']);
  });

  test('tells nobody of what others have, but all of the book', async () => {
    const [ada, bob] = [await listen('ada-token'), await listen('bob-token')];
    const before = bob.events('book').length;
    const [offer] = await ask('ada-token');
    await update(offer, 'ACCEPTED', 'ada-token');
    await until(() => states(ada, offer).includes('job ACCEPTED'));
    await until(() => bob.events('book').length > before);
    expect(bob.events('offer', 'job')).toEqual([]);
    const numbers = bob.events('book').map(({ data }) => data['number']);
    expect(new Set(numbers).size).toBe(numbers.length);
  });

  test('tells a client that comes again what it missed, once, and nothing that it had', async () => {
    const stream = await listen('ada-token');
    const [had, sibling] = await ask('ada-token');
    await until(() => states(stream, had).length === 1);
    const last = stream.last();
    stream.leave();
    const [missed] = await ask('ada-token');
    await update(had, 'ACCEPTED', 'ada-token');
    const again = await listen('ada-token', last);
    await until(() => states(again, missed).length === 1 && states(again, had).length === 2);
    expect(again.events('start')).toEqual([]);
    expect(states(again, missed)).toEqual(['offer OFFERED']);
    expect(states(again, had).toSorted()).toEqual(['job ACCEPTED', 'offer ACCEPTED']);
    await until(() => states(again, sibling).at(-1) === 'offer REJECTED');
    const third = await listen('ada-token', again.last());
    expect(third.events('start', 'offer', 'job')).toEqual([]);
  });

  test('tells an offer that comes and goes between two looks by its job alone', async () => {
    const stream = await listen('ada-token');
    const [offer] = await ask('ada-token');
    await update(offer, 'ACCEPTED', 'ada-token');
    await until(() => states(stream, offer).includes('job ACCEPTED'));
    expect(states(stream, offer).at(-1)).toMatch(/^(?:job|offer) ACCEPTED$/);
  });

  test('tells a standing of a job once, though it hears of it again', async () => {
    const stream = await listen('ada-token');
    const [offer] = await ask('ada-token');
    await update(offer, 'ACCEPTED', 'ada-token');
    await until(() => states(stream, offer).includes('job ACCEPTED'));
    const before = stream.events('book').at(-1)?.data['number'];
    await service.db.database.$executeRaw`
      SELECT pg_notify('session', ${`${offer?.ident} ACCEPTED`})`;
    await until(() => stream.events('book').at(-1)?.data['number'] !== before);
    await update(offer, 'CANCELLED', 'ada-token');
    await until(() => states(stream, offer).includes('job CANCELLED'));
    expect(states(stream, offer).filter((one) => `${one}`.startsWith('job'))).toEqual([
      'job ACCEPTED',
      'job CANCELLED',
    ]);
  });

  test('says start to a client whose events it does not have', async () => {
    const stream = await listen('ada-token');
    for (const last of ['0123456789abcdef-3', 'x', `${stream.last().split('-')[0]}-x`])
      expect((await listen('ada-token', last)).events()[0]?.event).toBe('start');
  });

  test('says start to all when it may have missed changes', async () => {
    const stream = await listen('ada-token');
    const before = stream.last();
    const starts = stream.events('start').length;
    await service.db.database.$executeRaw`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND query IN ('LISTEN session', 'SELECT 1')`;
    await until(() => stream.events('start').length > starts);
    expect(stream.last().split('-')[0]).not.toBe(before.split('-')[0]);
    expect((await listen('ada-token', before)).events()[0]?.event).toBe('start');
  });

  test('loses nothing and orders everything for many clients at once', async () => {
    const streams = await Promise.all(Array.from({ length: 20 }, () => listen('bob-token')));
    const accepted = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const [offer] = await ask('bob-token');
        await update(offer, 'ACCEPTED', 'bob-token');
        return offer?.ident;
      }),
    );
    const jobsOf = (stream: Stream): ReadonlySet<unknown> =>
      new Set(stream.events('job').map(({ data }) => data['id']));
    await until(() => streams.every((one) => jobsOf(one).size === accepted.length));
    const told = (one: Stream): readonly Sent[] => one.events('offer', 'job');
    // What the last jobs changed may still be on its way to some of them.
    await until(() => new Set(streams.map((one) => told(one).length)).size === 1);
    for (const one of streams) {
      expect(jobsOf(one)).toEqual(new Set(accepted));
      expect(told(one)).toEqual(told(streams[0] ?? one));
    }
  });

  test('is for those who may ask, and HEAD does not stay', async () => {
    expect((await openStream(`${service.url}/events`, 'nobody')).status).toBe(401);
    const head = await fetch(`${service.url}/events`, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-type')]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
    ]);
  });

  test('above the limit of an address is start and its end, with a time to wait', async () => {
    const streams = await Promise.all(Array.from({ length: 20 }, () => listen()));
    const one = await openStream(`${service.url}/events`);
    await until(() => one.ended());
    expect(one.text()).toBe('retry: 30000\nevent: start\ndata: {}\n\n');
    streams[0]?.leave();
    await until(async () => {
      const next = await openStream(`${service.url}/events`);
      await until(() => next.text() !== '');
      next.leave();
      return !next.text().startsWith('retry');
    });
  });

  test('told nothing in all these tests that the contract does not have', () => {
    expect(faults).toEqual([]);
  });
});
