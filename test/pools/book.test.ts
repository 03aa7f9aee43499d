import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { placeAnswers } from '../../src/planner/record/write-answers.ts';
import type { AnswerPlacement } from '../../src/planner/record/answer-rows.ts';
import type { PoolNeed } from '../../src/planner/judge/resource-pools.ts';
import { placementOf, propose, writeSites } from '../harness/book.ts';
import { openTestDatabase, type TestDatabase } from '../harness/database.ts';

/** Concurrent transactions, each of one call, as with several planners and lanes. */
const AT_ONCE = 32;
const OWNER = 'user:ada';
const NOTHING = { cores: 0, mem: 0, gpus: 0 };
function need(cores: number, limit: number, pool = 'everything'): PoolNeed {
  return {
    pool,
    oversize: false,
    request: { ...NOTHING, cores },
    budget: { cores: limit, mem: null, gpus: null },
    mostOversize: 0,
    reserve: false,
  };
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await delay(5);
}

type Decided = { readonly claims: readonly PoolNeed[]; readonly admitted: boolean };
const DECISIONS = readFileSync(new URL('decisions.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line): readonly Decided[] => JSON.parse(line));

describe('resource pools in the book', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await openTestDatabase(AT_ONCE);
    await writeSites(db.database, { a: 4000, small: 2 });
  });
  afterAll(() => db.close());
  beforeEach(async () => {
    await db.database.$executeRaw`TRUNCATE ask CASCADE`;
  });

  const placement = (
    pools: readonly PoolNeed[],
    { destination = 'a', cores = 1, owner = OWNER, startsIn = 0 } = {},
  ): AnswerPlacement => ({
    ...placementOf([propose({ destination, cores, startsIn })], owner),
    guard: { scopes: [], pools, person: owner },
  });
  const place = (...batch: readonly AnswerPlacement[]) =>
    placeAnswers(db.database, batch, Date.now(), new Map());
  const held = async (owner = OWNER): Promise<number> => {
    const [row] = await db.database.$queryRaw<
      { cores: number }[]
    >`SELECT coalesce(sum(cores), 0) AS cores FROM pool_holders('everything', ${owner})`;
    return row?.cores ?? 0;
  };

  test('decide as TPV’s own stores do, whatever is in them', async () => {
    let decided = 0;
    for (const [n, steps] of DECISIONS.entries()) {
      for (const { claims, admitted } of steps) {
        const one = placement(claims, { owner: `user:${n}` });
        const verdict = (await place(one)).verdicts.get(one.record.id);
        expect({ n, claims, admitted: verdict?.kind !== 'full' }).toEqual({ n, claims, admitted });
        decided += 1;
      }
    }
    expect(decided).toBeGreaterThan(400);
  });

  test('are never overfull, with any number of planners at once and any batches', async () => {
    await Promise.all(
      Array.from({ length: AT_ONCE }, () =>
        place(
          placement([need(3, 32)]),
          placement([need(5, 32)], { owner: 'user:bob' }),
          placement([need(4, 32)]),
        ),
      ),
    );
    expect(await held()).toBeGreaterThan(32 - 3);
    expect(await held()).toBeLessThanOrEqual(32);
    expect(await held('user:bob')).toBe(30);
    expect(await db.database.ask.count()).toBe(await db.database.resourcePoolUse.count());
  });

  test('hold nothing for an answer that was refused for lack of other room, or by another pool', async () => {
    await place(placement([need(1, 32)], { destination: 'small', cores: 2 }));
    const [late, full] = [
      placement([need(10, 32)], { destination: 'small', cores: 2 }),
      placement([need(10, 32), need(9, 8, 'tight')]),
    ];
    expect((await place(late)).verdicts.get(late.record.id)).toEqual({ kind: 'conflict' });
    expect((await place(full)).verdicts.get(full.record.id)).toMatchObject({
      kind: 'full',
      pools: [{ pool: 'tight', cores: 0, freeAt: null }],
    });
    expect(await held()).toBe(1);
    expect(await db.database.resourcePoolUse.count()).toBe(1);
  });

  test('keep an offer that was accepted in time though its transaction ends after its expiry', async () => {
    const first = placement([need(20, 32)]);
    await place(first);
    await db.database.$executeRaw`
        UPDATE offer SET expires_at = clock_timestamp() - interval '1 s'
        WHERE ask_id = ${first.record.id}::uuid`;
    const meanwhile = placement([need(20, 32)]);
    const waiting: Promise<unknown>[] = [];
    await db.database.$transaction(
      async (accepting) => {
        await accepting.$executeRaw`SELECT FROM ask WHERE id = ${first.record.id}::uuid FOR UPDATE`;
        await accepting.$executeRaw`UPDATE offer SET state = 'ACCEPTED' WHERE ask_id = ${first.record.id}::uuid`;
        waiting.push(place(meanwhile));
        // Wait until it ends, or needs this transaction's result.
        await until(async () => {
          const [row] = await db.database.$queryRaw<{ there: boolean }[]>`
          SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')
            OR EXISTS (SELECT FROM ask WHERE id = ${meanwhile.record.id}::uuid) AS there`;
          return row?.there === true;
        });
      },
      { timeout: 60_000 },
    );
    const [answer] = await Promise.all(waiting);
    expect(answer).toMatchObject({
      verdicts: new Map([
        [meanwhile.record.id, { kind: 'full', pools: [{ pool: 'everything', cores: 20 }] }],
      ]),
    });
    expect(await held()).toBe(20);
  });

  test('say when there is room at the latest: when enough of the holds have ended', async () => {
    await place(placement([need(20, 32)]), placement([need(6, 32)], { startsIn: 3600 }));
    const ends = await db.database.$queryRaw<
      { ends: Date }[]
    >`SELECT pool_ends(ask_id) AS ends FROM pool_holders('everything', ${OWNER})`;
    const [small, large] = [placement([need(8, 32)]), placement([need(30, 32)])];
    const { verdicts } = await place(small, large);
    const freeAt = (one: AnswerPlacement): unknown => {
      const verdict = verdicts.get(one.record.id);
      return verdict?.kind === 'full' ? Date.parse(verdict.pools[0].freeAt ?? '') : undefined;
    };
    expect(freeAt(small)).toBe(Math.min(...ends.map(({ ends: end }) => end.getTime())));
    expect(freeAt(large)).toBe(Math.max(...ends.map(({ ends: end }) => end.getTime())));
  });
});
