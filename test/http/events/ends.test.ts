import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import express from 'express';
import { urlOf } from '../../../src/http/edge/listen.ts';
import { eventRoutes } from '../../../src/http/events/event-routes.ts';
import { openEventLog } from '../../../src/http/events/event-log.ts';
import type { ChangeReader, OwnChanges } from '../../../src/http/events/own-changes.ts';
import { identifiedAs } from '../../../src/http/identified.ts';
import type { Principal } from '../../../src/identity/principal.ts';
import { until } from '../../uws/clients/worker.ts';
import { openStream } from './stream.ts';

const ADA = {
  kind: 'user',
  owner: 'user:ada',
  user: 'ada',
  roles: [],
  administrator: false,
} as const;

describe('a stream of events ends', () => {
  const readers = new Set<ChangeReader>();
  const changes: OwnChanges = {
    open: async (_owner, _last, reader) => {
      readers.add(reader);
      return { id: 'a-1', missed: undefined, book: 1 };
    },
    close: (_owner, reader) => void readers.delete(reader),
  };
  let released: AbortController;
  let principal: Principal;
  let server: Server;
  beforeEach(async () => {
    released = new AbortController();
    principal = ADA;
    const app = express().use((request, response, next) => {
      identifiedAs(request, response, principal);
      next();
    });
    app.use(eventRoutes({ changes, waiters: { released: released.signal } }));
    server = createServer(app).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => {
    if (readers.size > 0) throw new Error('a reader was left behind');
    server.closeAllConnections();
    server.close();
  });
  const listen = async () => {
    const stream = await openStream(`${urlOf(server, '127.0.0.1')}/events`);
    await until(() => stream.events().length === 2);
    return stream;
  };

  test('when the service stops, and a client that comes then is told to wait', async () => {
    const stream = await listen();
    expect(readers.size).toBe(1);
    released.abort();
    await until(() => stream.ended());
    const late = await openStream(`${urlOf(server, '127.0.0.1')}/events`);
    await until(() => late.ended());
    expect(late.text()).toMatch(/^retry: 30000\nevent: start\n/);
  });

  test('with the credential', async () => {
    principal = { ...ADA, until: Date.now() + 300 };
    const stream = await listen();
    await until(() => stream.ended());
    expect(Date.now()).toBeGreaterThanOrEqual(principal.until ?? Infinity);
  });

  test('when its client leaves', async () => {
    const stream = await listen();
    stream.leave();
    await until(() => readers.size === 0);
    expect(stream.ended()).toBe(true);
  });

  test('of a client that reads nothing', async () => {
    const stream = await listen();
    const [reader] = readers;
    const data = { text: 'x'.repeat(100_000) };
    for (let times = 0; times < 10; times += 1) reader?.tell({ id: 'a-2', event: 'job', data });
    await until(() => readers.size === 0);
    expect(released.signal.aborted).toBe(false);
    stream.leave();
  });
});

describe('the log of events', () => {
  test('has the latest events of each owner, and says where some are lost', () => {
    const log = openEventLog(3);
    log.begin('ada');
    const start = log.last();
    const ids = ['1', '2', '3', '4'].map((id) => log.add('ada', 'job', { id }).id);
    const dataAfter = (id: string | undefined) =>
      log.after('ada', id ?? '')?.map(({ data }) => data);
    expect(dataAfter(start)).toBeUndefined();
    expect(dataAfter(ids[0])).toEqual([{ id: '2' }, { id: '3' }, { id: '4' }]);
    expect(dataAfter(ids[3])).toEqual([]);
    log.begin('bob');
    expect(log.after('bob', start)).toBeUndefined();
    expect(log.after('bob', log.last())).toEqual([]);
    log.restart();
    expect(dataAfter(ids[3])).toBeUndefined();
    expect(dataAfter(log.last())).toEqual([]);
    log.forget('ada');
    expect(dataAfter(log.last())).toBeUndefined();
  });
});
