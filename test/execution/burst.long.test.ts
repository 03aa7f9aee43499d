import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { BURST, burstSite, lastPhase, runBurst, startShort, wrongIn } from '../harness/burst.ts';
import { startWholeService, type WholeService } from '../harness/whole-service.ts';

/** Run one after the other on an idle service; their time is reported, not tested. */
const ALONE = 20;

// A test that depends on speed fails on a busy machine: at a load of 13 on two cores it took 7
// minutes.
jest.setTimeout(1_800_000);

describe('short jobs of the process runner, accepted in a burst', () => {
  let service: WholeService;
  beforeAll(async () => {
    service = await startWholeService({
      site: burstSite({ runner: 'process' }),
      rules: { destinations: { here: { runner: 'process' } } },
    });
  });
  afterAll(async () => {
    await service?.close();
  });

  test(`one after the other, ${ALONE} of them run`, async () => {
    for (let count = 0; count < ALONE; count += 1)
      expect(await lastPhase(await startShort(service))).toBe('COMPLETED');
    const rows = await service.db.database.$queryRaw<readonly { ms: number }[]>`
      SELECT (extract(epoch FROM started_at - created_at) * 1000)::float8 AS ms FROM job ORDER BY ms`;
    process.stderr.write(
      `process, idle: accept to running, median of ${rows.length}: ` +
        `${rows[Math.floor(rows.length / 2)]?.ms.toFixed(0)} ms\n`,
    );
    expect(rows).toHaveLength(ALONE);
  });

  test(`${BURST} at once all finish, none is lost and none runs twice`, async () => {
    expect(wrongIn(await runBurst(service, 'process'))).toEqual([]);
  });
});
