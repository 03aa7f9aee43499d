import { describe, expect, test } from '@jest/globals';
import { offersOf } from '../../harness/client.ts';
import { contractFaults } from '../../harness/contract.ts';
import { serveTests } from '../../harness/serve.ts';
import { gpusOf, processDestination, SMALL_ASK, tokenOf } from '../../harness/site.ts';

const GPU = 'https://example.org/gpu/a';

describe('GET /overview', () => {
  const service = serveTests(
    {
      rules: ['rules.yml'],
      identity: {
        administrators: ['operators'],
        tokens: [tokenOf('ada-token'), tokenOf('op-token', { roles: ['operators'] })],
      },
      quotas: [
        { for: 'site', jobs: 50 },
        { for: 'user', cores: 40 },
      ],
      destinations: {
        a: processDestination({ cores: 64, ...gpusOf({ [GPU]: 2 }) }),
        b: processDestination({ cores: 8 }),
      },
    },
    { destinations: { a: { runner: 'process' }, b: { runner: 'process' } } },
  );
  const overview = async () => {
    const reply = await service.send('/overview', { token: 'op-token' });
    expect(contractFaults('OverviewBody', reply.document)).toEqual([]);
    return Object(reply.document['overview']);
  };

  test('tells administrators what is used where, by whom, and what waits', async () => {
    const { database } = service.db;
    const ask = (token?: string) => service.send('/request', { token, body: SMALL_ASK });
    const [accepted] = offersOf(await ask('ada-token'));
    await service.send(accepted?.href ?? '', { token: 'ada-token', body: 'status: ACCEPTED' });
    await ask();
    await database.$executeRaw`
      INSERT INTO executor (name, host, lease_until, workers, engines)
      VALUES ('one', 'host-1', clock_timestamp() + interval '1 minute', '{}', '{"a": true, "b": false}'),
        ('two', 'host-2', clock_timestamp() - interval '1 minute', '{}', '{}')`;
    const { destinations, executors, holders, jobs, quotas, parts } = await overview();
    const at = Object(accepted).destination;
    const cores = accepted?.request.resources.compute[0]?.['min-cores'];
    const [here, there] = at === 'a' ? destinations : destinations.toReversed();
    expect(here).toMatchObject({
      destination: at,
      listed: true,
      open: true,
      runner: 'process',
      firm: { cores },
      queue: { pending: 0, waiting: 1, due: 1, running: 0 },
      maintenance: [],
    });
    expect(here.free.cores + here.held.cores + here.firm.cores).toBe(here.capacity.cores);
    expect(there.queue).toEqual({ pending: 0, waiting: 0, due: 0, running: 0, 'longest-wait': 0 });
    expect(destinations[0].capacity.gpus).toEqual([{ type: GPU, count: 2 }]);
    expect(destinations[0].free.gpus).toEqual([{ type: GPU, count: 2 }]);
    expect(executors).toMatchObject([
      { executor: 'one', host: 'host-1', alive: true, jobs: 0, engines: [{}, {}] },
      { executor: 'two', alive: false },
    ]);
    expect(holders).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          owner: 'user:ada@example.org',
          user: 'ada@example.org',
          destination: at,
          answers: 0,
          jobs: 1,
        }),
        expect.objectContaining({ owner: 'anonymous', answers: 1, jobs: 0 }),
      ]),
    );
    expect(jobs).toEqual([
      { owner: 'user:ada@example.org', user: 'ada@example.org', phase: 'QUEUED', jobs: 1 },
    ]);
    expect(quotas).toEqual(
      expect.arrayContaining([
        { for: 'site', limit: 'jobs', most: 50, used: 2 },
        {
          for: 'user',
          owner: 'user:ada@example.org',
          limit: 'cores',
          most: 40,
          used: expect.any(Number),
        },
      ]),
    );
    expect(parts).toEqual([]);
  });

  test('keeps destinations with jobs that the site file no longer names, and shows drains at once', async () => {
    const { database } = service.db;
    await database.$executeRaw`
      INSERT INTO destination (id, cores, memory_mib, scratch_mib, gpus, open)
      VALUES ('old', 40000, 81920, 81920, '{}', false)`;
    await database.$executeRaw`
      UPDATE reservation SET destination_id = 'old' WHERE state = 'FIRM'`;
    // The same reading is for everybody for 2 s, unless a drain or a reload changes what is shown.
    await overview();
    await fetch(`${service.url}/destinations/b/drain`, {
      method: 'PUT',
      body: JSON.stringify({ reason: 'New discs' }),
      headers: { Authorization: 'Bearer op-token', 'Content-Type': 'application/json' },
    });
    const { destinations } = await overview();
    expect(destinations).toMatchObject([
      { destination: 'a', open: true },
      {
        destination: 'b',
        open: false,
        maintenance: [{ reason: 'New discs', takes: 'all' }],
        drain: { reason: 'New discs', owner: 'user:op@example.org' },
      },
      { destination: 'old', listed: false, open: false, firm: { cores: expect.any(Number) } },
    ]);
  });

  test('is for administrators alone', async () => {
    for (const token of [undefined, 'ada-token'])
      expect((await service.send('/overview', { token })).document).toMatchObject({
        status: 403,
        code: 'administrators-only',
      });
  });
});
