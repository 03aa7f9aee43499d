import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { until } from '../cli/service-process.ts';
import { SMALL_ASK, SMALL_RULES, SMALL_SITE } from '../harness/site.ts';
import { startWholeService, type WholeService } from '../harness/whole-service.ts';

describe('a service whose database takes no changes', () => {
  let service: WholeService;
  beforeAll(async () => {
    service = await startWholeService({ site: SMALL_SITE, rules: SMALL_RULES });
  });
  afterAll(() => service?.close());

  const ask = () =>
    fetch(`${service.url}/request`, {
      method: 'POST',
      body: SMALL_ASK,
      headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
    });
  const readiness = async () => {
    const response = await fetch(`${service.url}/readyz`);
    return { status: response.status, ...Object(await response.json()) };
  };

  /** Sets it for all connections: those that are there end. */
  const setReadOnly = async (value: 'on' | 'off'): Promise<void> => {
    const { database, url } = service.db;
    const name = new URL(url).pathname.slice(1);
    await database.$transaction([
      database.$executeRawUnsafe('SET TRANSACTION READ WRITE'),
      database.$executeRawUnsafe(
        `ALTER DATABASE ${name} SET default_transaction_read_only = ${value}`,
      ),
    ]);
    await database.$queryRaw`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`;
  };

  test('asks clients to try again, says so in its health, and goes on when it is over', async () => {
    await until('it is ready', async () => (await readiness()).ready === true);
    await setReadOnly('on');
    await until(
      'the service knows',
      async () => (await readiness()).parts.database === 'takes no changes',
    );
    expect((await readiness()).status).toBe(503);
    const refused = await ask();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await refused.json()).toMatchObject({ code: 'not-ready' });
    await setReadOnly('off');
    await until('it is ready again', async () => (await readiness()).ready === true);
    expect((await ask()).status).toBe(200);
  });
});
