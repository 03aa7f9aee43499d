import { createHash } from 'node:crypto';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Client } from 'pg';
import type { AnswerPlacement } from '../../src/planner/record/answer-rows.ts';
import { createOutlook } from '../../src/planner/plan/outlook.ts';
import { createPlacer, type Placer } from '../../src/planner/record/placer.ts';
import { openTraces } from '../../src/planner/record/traces.ts';
import { readOutlook } from '../../src/schedule/book.ts';
import { placementOf, propose, writeSites } from '../harness/book.ts';
import { openTestDatabase, type TestDatabase } from '../harness/database.ts';

function monotonic(): number {
  return performance.now();
}

function placementAt(destination: string): AnswerPlacement {
  return placementOf([propose({ destination, cores: 1 })]);
}

describe('the placer', () => {
  let db: TestDatabase;
  let placer: Placer;
  beforeAll(async () => {
    db = await openTestDatabase();
    await writeSites(db.database, { a: 64, b: 64 });
  });
  afterAll(() => db.close());
  beforeEach(async () => {
    await db.database.$executeRaw`TRUNCATE ask CASCADE`;
    const outlook = createOutlook(monotonic);
    outlook.learn(await readOutlook(db.database));
    placer = createPlacer(
      db.database,
      outlook,
      openTraces(monotonic, (text) => createHash('sha256').update(text).digest('hex')),
    );
  });

  test('writes the answers that come at the same time in one transaction', async () => {
    const verdicts = await Promise.all(
      Array.from({ length: 12 }, () => placer.place(placementAt('a'))),
    );
    expect(verdicts.map(({ kind }) => kind)).toEqual(verdicts.map(() => 'placed'));
    expect(
      await db.database
        .$queryRaw`SELECT count(*)::int AS asks, count(DISTINCT xmin::text)::int AS transactions FROM ask`,
    ).toEqual([{ asks: 12, transactions: 1 }]);
  });

  test('goes on beside an answer that waits for a lock, even when no other answer comes', async () => {
    // So that the steps of the decision are written, which answers have in common.
    await placer.place(placementAt('b'));
    const other = new Client({ connectionString: db.url });
    await other.connect();
    await other.query("BEGIN; SELECT 1 FROM destination WHERE id = 'a' FOR UPDATE");
    let isOver = false;
    const stuck = placer.place(placementAt('a')).finally(() => {
      isOver = true;
    });
    // What comes in the same turn of the event loop would wait with it.
    await turnOfTheLoop();
    const free = await Promise.all([
      placer.place(placementAt('b')),
      placer.place(placementAt('b')),
    ]);
    expect([free.map(({ kind }) => kind), isOver]).toEqual([['placed', 'placed'], false]);
    await other.query('COMMIT');
    await other.end();
    expect((await stuck).kind).toBe('placed');
    expect((await placer.place(placementAt('a'))).kind).toBe('placed');
  });
});
