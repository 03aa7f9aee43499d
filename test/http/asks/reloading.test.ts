import { afterEach, describe, expect, test } from '@jest/globals';
import { offersOf, reasonsOf, type Reply } from '../../harness/client.ts';
import { serveTests } from '../../harness/serve.ts';
import { processDestination } from '../../harness/site.ts';

const STORAGE = 'https://www.purl.org/ivoa-net/storage-type/persistent';

/** Another planner has read the new site file before this one. */
describe('a planner that has not read the new site file yet', () => {
  const service = serveTests(
    {
      rules: ['rules.yml'],
      defaults: { cores: 1, memory: '1GiB', scratch: '1GiB' },
      destinations: { here: processDestination(), there: processDestination() },
      storage: [{ name: 'attic', type: 'directory', path: 'attic', size: '8GiB' }],
    },
    { destinations: { here: { runner: 'process' }, there: { runner: 'process' } } },
  );
  afterEach(async () => {
    await service.db.database.$executeRaw`TRUNCATE ask, storage_reservation CASCADE`;
    await service.db.database.$executeRaw`
      UPDATE destination SET open = true, cores = 4000, live_cores = 0, live_memory_mib = 0,
        live_scratch_mib = 0`;
    await service.db.database.$executeRaw`UPDATE store SET size_mib = 8192`;
  });
  const ask = (cores: number, gib?: number, query = ''): Promise<Reply> =>
    service.send(`/request${query}`, {
      body: JSON.stringify({
        task: {
          type: 'https://www.purl.org/ivoa-net/task-type/executable',
          spec: { command: ['sort'] },
        },
        resources: {
          compute: [
            {
              'min-cores': cores,
              ...(gib !== undefined && { volumes: [{ name: 'v', path: 'v', mode: 'rw' }] }),
            },
          ],
          storage: gib === undefined ? [] : [{ name: 'v', type: STORAGE, size: `${gib}GiB` }],
        },
      }),
    });
  const destinations = (reply: Reply) => [
    ...new Set(offersOf(reply).map((offer) => Object(offer).destination)),
  ];

  test('offers what a destination still has, and the others', async () => {
    await service.db.database.$executeRaw`UPDATE destination SET cores = 1000 WHERE id = 'here'`;
    expect(destinations(await ask(1))).toEqual(['here', 'there']);
    expect(destinations(await ask(2))).toEqual(['there']);
    await service.db.database.$executeRaw`UPDATE destination SET open = false WHERE id = 'here'`;
    expect(destinations(await ask(1))).toEqual(['there']);
  });

  test('says what there is, and not that others took it', async () => {
    await service.db.database.$executeRaw`UPDATE destination SET cores = 1000`;
    for (const query of ['', '?dry-run=true'])
      expect(reasonsOf(await ask(2, undefined, query))).toEqual([
        expect.objectContaining({ code: 'no-capacity-now', asked: 2, limit: 1 }),
      ]);
    await service.db.database.$executeRaw`UPDATE store SET size_mib = 2048`;
    expect(destinations(await ask(1, 2))).toEqual(['here', 'there']);
    expect(reasonsOf(await ask(1, 3))).toContainEqual(
      expect.objectContaining({ code: 'no-storage-space', asked: '3Gb', limit: '0Gb' }),
    );
  });
});
