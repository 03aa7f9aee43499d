import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { isDatabaseAway, openDatabase, queryFast } from '../../src/db/client.ts';
import { connectionOf } from '../../src/db/connection.ts';
import { listen } from '../../src/db/listen.ts';
import { openPool } from '../../src/db/pool.ts';
import { openTestDatabase, type TestDatabase } from '../harness/database.ts';

const LIMIT_MS = 300;
/** On a busy machine a connection may take a second. */
const PATIENT_MS = 3000;
function limited(url: string, limit = LIMIT_MS) {
  return openPool({ ...connectionOf(url, 'planner'), connectionTimeoutMillis: limit, max: 1 });
}

/** Blocks the whole process: no timer, no network. */
function standStill(ms: number): void {
  void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** A server that accepts connections and never answers. */
async function openSilence() {
  const sockets: Socket[] = [];
  const server = createServer((socket) => void sockets.push(socket.on('error', () => undefined)));
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no address');
  return {
    url: `postgresql://nobody@127.0.0.1:${address.port}/nothing`,
    connections: () => sockets.length,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((done) => void server.close(done));
    },
  };
}

describe('a pool of connections', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await openTestDatabase();
  });
  afterAll(() => db.close());

  test('lets a statement wait for a connection as long as the statement before it may take', () => {
    for (const name of ['planner', 'executor'] as const) {
      const { connectionTimeoutMillis, statement_timeout } = connectionOf(db.url, name);
      expect(connectionTimeoutMillis).toBeGreaterThanOrEqual(Number(statement_timeout));
    }
  });

  test('is away, and ends no process, while the certificate in its URL is missing', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'planner-certificate-'));
    const certificate = join(folder, 'ca.crt');
    const url = new URL(db.url);
    url.searchParams.set('sslmode', 'disable');
    url.searchParams.set('sslrootcert', certificate);
    const database = openDatabase(url.href, 1);
    const lost: Error[] = [];
    const listener = listen({
      url: url.href,
      name: 'planner',
      channel: 'session',
      onMessage: () => undefined,
      onLost: (error) => void lost.push(error),
    });
    try {
      const many = [1, 2, 3].map(() => database.$queryRaw`SELECT 1`.catch((error) => error));
      many.push(queryFast(database, 'one', 'SELECT 1', []).catch((error) => error));
      for (const error of await Promise.all(many)) {
        expect(String(error)).toContain('DATABASE_URL cannot be used: ENOENT');
        expect(isDatabaseAway(error)).toBe(true);
      }
      expect(lost.length).toBeGreaterThan(0);
      await writeFile(certificate, '');
      expect(await database.$queryRaw`SELECT 1 AS one`).toEqual([{ one: 1 }]);
    } finally {
      await listener.close();
      await database.$disconnect();
      await rm(folder, { recursive: true });
    }
  });

  test('makes a new connection although the process was stopped for longer than its limit', async () => {
    const pool = limited(db.url, PATIENT_MS);
    const [asked, taken] = [
      pool.query('SELECT 1 AS one'),
      pool.connect().then((client) => client.release()),
    ];
    standStill(1.2 * PATIENT_MS);
    expect((await asked).rows).toEqual([{ one: 1 }]);
    await taken;
    await pool.end();
  });

  test('gives a statement the connection that became free while the process was stopped', async () => {
    const pool = limited(db.url, PATIENT_MS);
    await pool.query('SELECT 1');
    const before = pool.query('SELECT pg_sleep(0.1)');
    // The earlier statement must be on its way.
    await new Promise(setImmediate);
    const after = pool.query('SELECT 2 AS two');
    standStill(1.2 * PATIENT_MS);
    expect((await after).rows).toEqual([{ two: 2 }]);
    await before;
    await pool.end();
  });

  test('reports a database that accepts connections and stays silent as down, after two attempts', async () => {
    const silence = await openSilence();
    const pool = limited(silence.url);
    const error: unknown = await pool.query('SELECT 1').catch((reason: unknown) => reason);
    expect(isDatabaseAway(error)).toBe(true);
    expect(silence.connections()).toBeLessThanOrEqual(2);
    const again: unknown = await pool.connect().catch((reason: unknown) => reason);
    expect(isDatabaseAway(again)).toBe(true);
    await pool.end();
    await silence.close();
  });
});
