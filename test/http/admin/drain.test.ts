import { describe, expect, test } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { openDrainedSite } from '../../../src/drained-site.ts';
import { readDrains } from '../../../src/schedule/drains.ts';
import { loadSite } from '../../../src/site/load.ts';
import { openWaiters } from '../../../src/uws/live/waiters.ts';
import { offersOf, reasonsOf } from '../../harness/client.ts';
import { contractFaults } from '../../harness/contract.ts';
import { emptyBookBeforeEach, serveTests } from '../../harness/serve.ts';
import { processDestination, SMALL_ASK, tokenOf } from '../../harness/site.ts';

const SITE = {
  rules: ['rules.yml'],
  identity: {
    anonymous: false,
    administrators: ['operators'],
    tokens: [tokenOf('ada-token'), tokenOf('op-token', { roles: ['operators'] })],
  },
  destinations: { a: processDestination({ cores: 64 }), b: processDestination({ cores: 64 }) },
};
const RULES = { destinations: { a: { runner: 'process' }, b: { runner: 'process' } } };

describe('draining a destination', () => {
  const service = serveTests(SITE, RULES);
  emptyBookBeforeEach(service);

  const put = async (body: object, { token = 'op-token', name = 'a' } = {}) => {
    const response = await fetch(`${service.url}/destinations/${name}/drain`, {
      method: 'PUT',
      body: JSON.stringify(body),
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        Accept: 'application/json',
      },
    });
    return { status: response.status, document: Object(await response.json()) };
  };
  const undo = (query = '', token = 'op-token', name = 'a') =>
    fetch(`${service.url}/destinations/${name}/drain${query}`, {
      method: 'DELETE',
      headers: { Authorization: `Bearer ${token}` },
    });
  const ask = () => service.send('/request', { token: 'ada-token', body: SMALL_ASK });
  const placesOf = (reply: Awaited<ReturnType<typeof ask>>) => [
    ...new Set(offersOf(reply).map((offer) => Object(offer).destination)),
  ];
  const audit = async () =>
    Object((await service.send('/audit', { token: 'op-token' })).document).audit;

  test('makes no new offers there, tells clients like of maintenance, and can be undone', async () => {
    expect(placesOf(await ask()).toSorted()).toEqual(['a', 'b']);
    const ends = new Date(Date.now() + 3_600_000).toISOString();
    const drained = await put({ reason: 'New discs', until: ends });
    expect(drained).toMatchObject({
      status: 200,
      document: {
        drain: { destination: 'a', reason: 'New discs', until: ends, owner: 'user:op@example.org' },
      },
    });
    expect(contractFaults('DrainBody', drained.document)).toEqual([]);
    expect(placesOf(await ask())).toEqual(['b']);
    await put({ reason: 'New discs' }, { name: 'b' });
    const refused = await ask();
    expect(reasonsOf(refused).map(({ code }) => code)).toEqual(['maintenance', 'maintenance']);
    expect(refused.text).toContain(`New discs, until ${ends}.`);
    expect(refused.text).toContain('New discs.');

    const calendar = await service.send('/calendar', { token: 'ada-token' });
    expect(contractFaults('CalendarBody', calendar.document)).toEqual([]);
    expect(Object(calendar.document).calendar.destinations).toMatchObject([
      { maintenance: [{ end: ends, reason: 'New discs', takes: 'all' }] },
      { maintenance: [{ end: '9999-12-31T00:00:00.000Z', reason: 'New discs', takes: 'all' }] },
    ]);
    expect(Object((await service.send('/site')).document).site.destinations).toMatchObject([
      { destination: 'a', open: false },
      { destination: 'b', open: false },
    ]);
    const availability = (await service.send('/availability')).text;
    expect(availability).toContain(`destination a: closed until ${ends}`);
    expect(availability).toContain('destination b: closed</note>');

    expect((await undo('?why=Discs+are+in')).status).toBe(204);
    expect((await undo('', 'op-token', 'b')).status).toBe(204);
    expect(placesOf(await ask()).toSorted()).toEqual(['a', 'b']);
    const changes: Record<string, unknown>[] = await audit();
    expect(changes.map(({ owner, action, why }) => [owner, action, why])).toEqual([
      ['user:op@example.org', 'DELETE /destinations/b/drain', undefined],
      ['user:op@example.org', 'DELETE /destinations/a/drain', 'Discs are in'],
      ['user:op@example.org', 'PUT /destinations/b/drain', 'New discs'],
      ['user:op@example.org', 'PUT /destinations/a/drain', 'New discs'],
    ]);
  });

  test('lets open offers be accepted and jobs go on, and begins and ends when it says', async () => {
    const [offer] = offersOf(await ask());
    await put({ reason: 'Soon', from: new Date(Date.now() + 86_400_000).toISOString() });
    expect(placesOf(await ask())).toContain('a');
    await put({ reason: 'Now' });
    await put({ reason: 'Now' }, { name: 'b' });
    const accepted = await service.send(offer?.href ?? '', {
      token: 'ada-token',
      body: 'status: ACCEPTED',
    });
    expect(accepted.status).toBe(200);
    // Late jobs are placed around the closures of the site file, and not of drains.
    expect(await service.db.database.closure.count()).toBe(0);
    await undo();
    await undo('', 'op-token', 'b');
  });

  test('is for administrators, and checks what it is given', async () => {
    expect(await put({ reason: 'x' }, { token: 'ada-token' })).toMatchObject({
      status: 403,
      document: { code: 'administrators-only' },
    });
    expect((await undo('', 'ada-token')).status).toBe(403);
    expect(await put({ reason: 'x' }, { name: 'c' })).toMatchObject({
      status: 404,
      document: { code: 'destination-unknown' },
    });
    for (const body of [
      {},
      { reason: ' ' },
      { reason: 'x', open: true },
      { reason: 'x', until: 'tomorrow' },
      { reason: 'x', until: '2026-08-10T14:00:00Z' },
      { reason: 'x', from: '2040-01-02T00:00Z', until: '2040-01-01T00:00Z' },
    ])
      expect(await put(body)).toMatchObject({ status: 400 });
    expect(await readDrains(service.db.database)).toEqual([]);
  });

  test('holds for every planner of the database at once, and after a restart', async () => {
    const site = await loadSite(service.site.siteFile);
    const log = pino({ level: 'silent' });
    const other = await openDrainedSite(service.db.database, () => site, log);
    const heard: number[] = [];
    const waiters = openWaiters({
      url: service.db.url,
      onDrains: () => {
        heard.push(Date.now());
        void other.read();
      },
      onLost: () => undefined,
    });
    const isOpen = () => other.site().destinations.get('a')?.maintenance.length === 0;
    while (heard.length === 0) await delay(10);
    expect(isOpen()).toBe(true);
    await put({ reason: 'New discs' });
    // The planner that did not write it hears of it, long before it would read again by itself.
    while (isOpen()) await delay(10);
    expect(heard).toHaveLength(2);
    await waiters.close();
    other.close();
    const restarted = await openDrainedSite(service.db.database, () => site, log);
    const seen = () => restarted.site().destinations.get('a')?.maintenance;
    expect(seen()).toMatchObject([{ reason: 'New discs', takes: 'all' }]);
    // Its closures are cached under this list.
    await restarted.read();
    const before = seen();
    await restarted.read();
    expect(seen()).toBe(before);
    await undo();
    await restarted.read();
    expect(seen()).toEqual([]);
    restarted.close();
  });
});
