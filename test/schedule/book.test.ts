import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { newAskId, writeSites } from '../harness/book.ts';
import { openTestDatabase, type TestDatabase } from '../harness/database.ts';
import { readBook } from '../../src/schedule/book.ts';
import { freeDuring } from '../harness/free.ts';

type Row = { readonly start: number; readonly length: number; readonly cores: number };

describe('the book', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await openTestDatabase();
    await writeSites(db.database, { a: 100 });
  });
  afterAll(() => db.close());

  const write = async (rows: readonly Row[]): Promise<void> => {
    const ask = newAskId();
    await db.database.$executeRaw`TRUNCATE ask CASCADE`;
    await db.database
      .$executeRaw`INSERT INTO ask (id, owner, result, description, inputs, rules_digest, trace, reasons)
      VALUES (${ask}::uuid, 'x', 'YES', '{}', '{}', '', '[]', '[]')`;
    await db.database.$executeRaw`
      INSERT INTO reservation (ask_id, destination_id, state, starts_at, ends_at, expires_at, cores,
        memory_mib, scratch_mib)
      SELECT ${ask}::uuid, 'a', 'HELD', '2100-01-01Z'::timestamptz + r.start * interval '1 s',
        '2100-01-01Z'::timestamptz + (r.start + r.length) * interval '1 s',
        'infinity', r.cores, 0, 0
        FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS r(start int, length int,
          cores int)`;
  };

  test('has the exact peak of any window, as counting second by second shows', async () => {
    const row = fc.record({
      start: fc.integer({ min: 0, max: 40 }),
      length: fc.integer({ min: 1, max: 20 }),
      cores: fc.integer({ min: 1, max: 9 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { maxLength: 12 }),
        fc.integer({ min: 0, max: 40 }),
        fc.integer({ min: 1, max: 30 }),
        async (rows, from, length) => {
          await write(rows);
          const [found] = await db.database.$queryRaw<{ cores: bigint }[]>`
        SELECT cores
        FROM peak_use('a', tstzrange('2100-01-01Z'::timestamptz + ${from}::int * interval '1 s',
          '2100-01-01Z'::timestamptz + ${from + length}::int * interval '1 s'), NULL, NULL)`;
          const seconds = Array.from({ length }, (_, offset) => from + offset);
          const counted = seconds.map((at) =>
            rows
              .filter(({ start, length: l }) => start <= at && at < start + l)
              .reduce((sum, { cores }) => sum + cores, 0),
          );
          expect(Number(found?.cores)).toBe(Math.max(0, ...counted));
        },
      ),
      { numRuns: 60 },
    );
  });

  test('has few rows for many holds when the planner reads it, and never overstates what is free', async () => {
    await db.database.$executeRaw`TRUNCATE ask CASCADE`;
    const ask = newAskId();
    await db.database
      .$executeRaw`INSERT INTO ask (id, owner, result, description, inputs, rules_digest, trace, reasons)
      VALUES (${ask}::uuid, 'x', 'YES', '{}', '{}', '', '[]', '[]')`;
    await db.database.$executeRaw`
      INSERT INTO reservation (ask_id, destination_id, state, starts_at, ends_at, expires_at, cores,
        memory_mib, scratch_mib)
      SELECT ${ask}::uuid, 'a', 'HELD', now(), now() + interval '1 hour' + n * interval '10 ms',
        'infinity', 10, 0, 0 FROM generate_series(1, 1000) n`;
    const { now, taken } = await readBook(db.database, ['a'], 7200);
    const rows = taken.get('a') ?? [];
    expect(rows.length).toBeLessThan(5);
    const has = { cores: 100_000, memory: 0, scratch: 0, gpus: new Map<string, number>() };
    expect(freeDuring(has, rows, { start: now, end: now + 3_600_000 }).cores).toBe(90_000);
    expect(freeDuring(has, rows, { start: now + 3_700_000, end: now + 7_000_000 }).cores).toBe(
      100_000,
    );
  });
});
