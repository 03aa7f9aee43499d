import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { setTimeout as after } from 'node:timers/promises';
import type { Guard } from '../../src/planner/guard.ts';
import { placeAnswers } from '../../src/planner/record/write-answers.ts';
import type { AnswerPlacement } from '../../src/planner/record/answer-rows.ts';
import { readQuotaUse } from '../../src/planner/record/quota-use.ts';
import { placementOf, propose, writeSites } from '../harness/book.ts';
import { openTestDatabase, type TestDatabase } from '../harness/database.ts';

/** As many transactions at once as planners and lanes: each call is a transaction of its own. */
const AT_ONCE = 32;

describe('guarded answers that many planners write at once', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await openTestDatabase(AT_ONCE);
    await writeSites(db.database, { a: 4000, b: 4000 });
  });
  afterAll(() => db.close());
  beforeEach(async () => {
    await db.database.$executeRaw`TRUNCATE ask, idempotency CASCADE`;
  });

  const placement = (
    guard: Guard,
    cores = 1,
    destination = 'a',
    owner = 'user:ada',
  ): AnswerPlacement => ({ ...placementOf([propose({ destination, cores })], owner), guard });
  const place = (...batch: readonly AnswerPlacement[]) =>
    placeAnswers(db.database, batch, Date.now(), new Map());
  const times = <Result>(work: (n: number) => Promise<Result>): Promise<readonly Result[]> =>
    Promise.all(Array.from({ length: AT_ONCE }, (_, n) => work(n)));
  const placedOf = async (): Promise<number> => db.database.ask.count();

  test('never exceed a quota together, whatever it counts', async () => {
    for (const [limits, most] of [
      [{ holds: 5 }, 5],
      [{ jobs: 7 }, 7],
      [{ cores: 9000 }, 9],
      [{ memory: 3 * 1024 }, 3],
    ] as const) {
      await db.database.$executeRaw`TRUNCATE ask CASCADE`;
      await times((n) =>
        place(
          placement(
            { scopes: [{ scope: 'user:ada', windowS: 0, ...limits }] },
            1,
            n % 2 === 0 ? 'a' : 'b',
          ),
        ),
      );
      expect({ limits, placed: await placedOf() }).toEqual({ limits, placed: most });
    }
  });

  test('never exceed it in batches either, and of each batch what fits is written', async () => {
    const scopes = [{ scope: 'user:ada', windowS: 0, cores: 10_000 }];
    await times(() =>
      place(placement({ scopes }), placement({ scopes }, 20), placement({ scopes })),
    );
    expect(await placedOf()).toBe(10);
  });

  test('never deadlock, with scopes, keys and destinations in any order', async () => {
    const names = ['user:ada', 'user:bob', 'role:x', 'site'];
    const verdicts = await times((n) => {
      const turned = [...names.slice(n % 4), ...names.slice(0, n % 4)];
      const key = (part: string) => ({
        key: `k${(n + part.length) % 5}${part}`,
        route: 'POST /request',
        bodyHash: 'x',
      });
      return place(
        placement(
          { scopes: turned.map((scope) => ({ scope, windowS: 0, holds: 1000 })), key: key('a') },
          1,
          n % 2 === 0 ? 'a' : 'b',
        ),
        placement(
          { scopes: [{ scope: turned[0] ?? '', windowS: 0, holds: 1000 }], key: key('bb') },
          1,
          n % 2 === 0 ? 'b' : 'a',
        ),
      );
    });
    expect(verdicts).toHaveLength(AT_ONCE);
    const kinds = verdicts.flatMap(({ verdicts: found }) =>
      [...found.values()].map(({ kind }) => kind),
    );
    expect(new Set(kinds)).toEqual(new Set(['replay', 'placed']));
    expect(await placedOf()).toBe(10);
  });

  test('are decided once for a key, though each comes in a transaction of its own', async () => {
    const key = { key: 'k', route: 'POST /request', bodyHash: 'x' };
    const found = await times(() => place(placement({ scopes: [], key })));
    const replayed = found
      .flatMap(({ verdicts }) => [...verdicts.values()])
      .map((verdict) => (verdict.kind === 'replay' ? verdict.ask : verdict.kind));
    expect(replayed).toHaveLength(AT_ONCE - 1);
    expect(new Set(replayed)).toEqual(
      new Set((await db.database.ask.findMany()).map(({ id }) => id)),
    );
  });

  test('give their key back when they find no room, and when a quota refuses them', async () => {
    const key = { key: 'k', route: 'POST /request', bodyHash: 'x' };
    const kindOf = async (one: AnswerPlacement) =>
      (await place(one)).verdicts.get(one.record.id)?.kind ?? 'placed';
    expect(await kindOf(placement({ scopes: [], key }, 5000))).toBe('conflict');
    expect(await kindOf(placement({ scopes: [{ scope: 's', windowS: 0, cores: 1 }], key }))).toBe(
      'over',
    );
    expect(await kindOf(placement({ scopes: [], key }))).toBe('placed');
  });

  test('with the same key twice in a batch that finds no room are both undecided', async () => {
    const key = { key: 'k', route: 'POST /request', bodyHash: 'x' };
    const { verdicts } = await place(
      placement({ scopes: [], key }, 5000),
      placement({ scopes: [], key }),
    );
    expect([...verdicts.values()].map(({ kind }) => kind)).toEqual(['conflict', 'conflict']);
    expect(await placedOf()).toBe(0);
  });

  test('counts an accept in time, though its time is over when it is committed', async () => {
    const accepting = placementOf([propose({ destination: 'a', cores: 1, lifetime: 3 })]);
    await place({ ...accepting, guard: { scopes: [{ scope: 's', windowS: 0, jobs: 9 }] } });
    const { id } = await db.database.offer.findFirstOrThrow();
    const use = async () => (await readQuotaUse(db.database, 's', 0)).jobs;
    const terms = [id, 'anonymous', 'AUTO', '1 h', '7 d'];
    await db.database.$transaction(async (other) => {
      const [row] = await other.$queryRawUnsafe<{ verdict: string }[]>(
        'SELECT verdict FROM accept_offer($1::uuid, $2, $3::start_mode, $4::interval, $5::interval)',
        ...terms,
      );
      expect(row?.verdict).toBe('accepted');
      await after(3100);
      expect(await use()).toBe(0);
    });
    expect(await use()).toBe(1);
  });
});
