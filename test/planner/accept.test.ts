import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { openDatabase } from '../../src/db/client.ts';
import { findOffer } from '../../src/planner/record/offer-rows.ts';
import { acceptOffer, rejectOffer } from '../../src/planner/record/update-offer.ts';
import { sweep } from '../../src/sweeper/sweep.ts';
import type { OfferId } from '../../src/words/ids.ts';
import { accept, peaks, placeOffers, TERMS, writeSites } from '../harness/book.ts';
import { openTestDatabase, type TestDatabase } from '../harness/database.ts';

describe('accepting an offer', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await openTestDatabase(60);
    await writeSites(db.database, { a: 8, b: 8, c: 8 });
  });
  afterAll(() => db.close());
  beforeEach(async () => {
    await db.database.$executeRaw`TRUNCATE ask CASCADE`;
  });
  const offers = async (
    ...args: Parameters<typeof placeOffers> extends [unknown, ...infer Rest] ? Rest : never
  ) => {
    const ids = await placeOffers(db.database, ...args);
    if (ids === undefined) throw new Error('the offers do not fit');
    return ids;
  };
  const three = [
    { destination: 'a', cores: 4 },
    { destination: 'b', cores: 4 },
    { destination: 'c', cores: 4 },
  ];
  const states = async () =>
    (await db.database.offer.findMany({ orderBy: { place: 'asc' } })).map(({ state }) => state);
  const live = async () =>
    db.database.reservation.findMany({ where: { state: { in: ['HELD', 'FIRM'] } } });

  test('cancels its siblings and releases their holds in the same transaction', async () => {
    const [first = '', second] = await offers(three);
    expect(second).toBeDefined();
    expect((await live()).length).toBe(3);
    expect(await accept(db.database, (await offers(three))[1] ?? fail())).toMatchObject({
      verdict: 'accepted',
    });
    expect(first).not.toBe('');
  });

  test('has one winner and one job, even under 50 concurrent accepts of 3 siblings by 10 planners', async () => {
    const ids = await offers(three);
    const planners = Array.from({ length: 10 }, () => openDatabase(db.url, 2));
    const verdicts = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        accept(planners[n % 10] ?? fail(), ids[n % 3] ?? fail()),
      ),
    );
    await Promise.all(planners.map((planner) => planner.$disconnect()));
    const winners = new Set(
      verdicts.map((one) => (one.verdict === 'accepted' ? one.offer.id : one.winner)),
    );
    expect(winners.size).toBe(1);
    expect(verdicts.filter(({ verdict }) => verdict === 'accepted').length).toBe(1);
    expect(
      verdicts.every(({ verdict }) => ['accepted', 'again', 'sibling'].includes(verdict)),
    ).toBe(true);
    expect((await states()).sort()).toEqual(['ACCEPTED', 'REJECTED', 'REJECTED']);
    expect(await db.database.job.count()).toBe(1);
    expect((await live()).map(({ state, cores }) => [state, cores])).toEqual([['FIRM', 4000]]);
  });

  test('tells each of those accepted together what a later reading tells', async () => {
    const answers = await Promise.all([three, three.slice(1)].map((one) => offers(one)));
    const told = await Promise.all(answers.map(([id]) => accept(db.database, id ?? fail())));
    for (const [n, became] of told.entries()) {
      if (became.verdict !== 'accepted') throw new Error(became.verdict);
      expect(became.offer).toMatchObject({ state: 'ACCEPTED', secondsLeft: 0 });
      expect(became.offer).toEqual(
        await findOffer(db.database, answers[n]?.[0] ?? fail(), undefined),
      );
    }
  });

  test('does not wait for changes of the destination: it takes no more than was held', async () => {
    const ids = await offers(three);
    const verdict = await db.database.$transaction(async (other) => {
      await other.$executeRaw`SELECT FROM destination FOR NO KEY UPDATE`;
      return accept(db.database, ids[0] ?? fail());
    });
    expect(verdict.verdict).toBe('accepted');
  });

  test('is possible as promised when the destination has become smaller', async () => {
    const alternatives = [
      { destination: 'a', cores: 6 },
      // Longer than the first: what is held of both are two rows.
      { destination: 'a', cores: 4, startsIn: 700 },
    ];
    const before = [await offers(alternatives), await offers([{ destination: 'a', cores: 2 }])];
    await writeSites(db.database, { a: 3, b: 8, c: 8 });
    try {
      expect((await accept(db.database, before[0]?.[1] ?? fail())).verdict).toBe('accepted');
      expect((await accept(db.database, before[1]?.[0] ?? fail())).verdict).toBe('accepted');
      expect((await live()).map(({ state, cores }) => [state, cores])).toEqual([
        ['FIRM', 4000],
        ['FIRM', 2000],
      ]);
      expect(await placeOffers(db.database, [{ destination: 'a', cores: 2 }])).toBeUndefined();
    } finally {
      await writeSites(db.database, { a: 8, b: 8, c: 8 });
    }
  });

  test('writes one message for the executors, in the same transaction', async () => {
    const [id = fail()] = await offers(three);
    await accept(db.database, id);
    await accept(db.database, id);
    const messages = await db.database
      .$queryRaw`SELECT key FROM graphile_worker.jobs WHERE key = ${`execute:${id}`}`;
    expect(messages).toEqual([{ key: `execute:${id}` }]);
  });

  test('twice gives the same job', async () => {
    const [id = fail()] = await offers(three);
    expect(await accept(db.database, id)).toMatchObject({
      verdict: 'accepted',
      offer: { id, state: 'ACCEPTED' },
    });
    expect(await accept(db.database, id)).toEqual({
      verdict: 'again',
      state: 'ACCEPTED',
      winner: id,
    });
  });

  test('after a sibling was accepted names the winner', async () => {
    const [first = fail(), second = fail()] = await offers(three);
    await accept(db.database, first);
    expect(await accept(db.database, second)).toEqual({
      verdict: 'sibling',
      state: 'REJECTED',
      winner: first,
    });
  });

  test('shares a transaction with others that come at the same time', async () => {
    const ids = [];
    for (let n = 0; n < 8; n += 1) ids.push(...(await offers([{ destination: 'a', cores: 1 }])));
    await Promise.all(ids.map((id) => accept(db.database, id)));
    const decided = await db.database.offer.findMany({ select: { decidedAt: true } });
    expect(new Set(decided.map(({ decidedAt }) => decidedAt?.getTime())).size).toBe(1);
    expect(await db.database.job.count()).toBe(8);
  });

  test('takes nothing from others of its transaction when it fails', async () => {
    const [[first = fail()], [second = fail()], [third = fail()]] = [
      await offers([{ destination: 'a', cores: 1 }]),
      await offers([{ destination: 'a', cores: 1 }]),
      await offers([{ destination: 'a', cores: 1 }]),
    ];
    const [, failed, accepted] = await Promise.allSettled([
      accept(db.database, first),
      accept(db.database, second, 'no text of PostgreSQL: \0'),
      accept(db.database, third),
    ]);
    expect(failed.status).toBe('rejected');
    expect(accepted).toMatchObject({ value: { verdict: 'accepted', offer: { id: third } } });
  });

  test('under a key of another request is refused, also in the transaction of that request', async () => {
    const [[before = fail()], [first = fail()], [second = fail()]] = [
      await offers([{ destination: 'a', cores: 1 }]),
      await offers([{ destination: 'a', cores: 1 }]),
      await offers([{ destination: 'a', cores: 1 }]),
    ];
    const storedBytes = async () =>
      (await db.database.stored.findUniqueOrThrow({ where: { owner: 'anonymous' } })).bytes;
    const stored = await storedBytes();
    const under = (id: OfferId) =>
      acceptOffer(db.database, id, 'anonymous', TERMS, { key: 'k', route: id, bodyHash: '' });
    const verdicts = await Promise.all([
      accept(db.database, before),
      under(first),
      under(second),
      under(first),
    ]);
    expect(verdicts.map(({ verdict }) => verdict)).toEqual([
      'accepted',
      'accepted',
      'mismatch',
      'again',
    ]);
    expect(await findOffer(db.database, second, 'anonymous')).toMatchObject({ state: 'OFFERED' });
    expect(await storedBytes()).toBe(stored + 512n);
  });

  test('is decided by the clock of the database, before any sweeper ran', async () => {
    const [id = fail()] = await offers([{ destination: 'a', cores: 1, lifetime: -1 }]);
    expect(await states()).toEqual(['OFFERED']);
    expect(await accept(db.database, id)).toMatchObject({ verdict: 'expired' });
    expect(await findOffer(db.database, id, 'anonymous')).toMatchObject({
      state: 'EXPIRED',
      secondsLeft: 0,
    });
    expect(await db.database.job.count()).toBe(0);
  });

  test('of another user answers like an unknown offer', async () => {
    const [id = fail()] = await offers(three, 'user:ada@example.org');
    expect(await accept(db.database, id)).toMatchObject({ verdict: 'unknown' });
    expect(await findOffer(db.database, id, 'anonymous')).toBeUndefined();
    expect((await states())[0]).toBe('OFFERED');
  });

  test('of a rejected offer is refused', async () => {
    const [id = fail()] = await offers(three);
    await rejectOffer(db.database, id, 'anonymous');
    expect(await accept(db.database, id)).toMatchObject({ verdict: 'illegal', state: 'REJECTED' });
  });
});

describe('the hold of an answer', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await openTestDatabase(20);
    await writeSites(db.database, { a: 8 });
  });
  afterAll(() => db.close());
  beforeEach(async () => {
    await db.database.$executeRaw`TRUNCATE ask CASCADE`;
  });

  test('for alternatives at one destination is the largest of them, not their sum', async () => {
    expect(
      await placeOffers(db.database, [
        { destination: 'a', cores: 8 },
        { destination: 'a', cores: 4 },
      ]),
    ).toBeDefined();
    expect((await peaks(db.database)).get('a')).toBe(8);
  });

  test('cannot be offered a second time', async () => {
    await placeOffers(db.database, [{ destination: 'a', cores: 5 }]);
    expect(await placeOffers(db.database, [{ destination: 'a', cores: 4 }])).toBeUndefined();
    expect(await placeOffers(db.database, [{ destination: 'a', cores: 3 }])).toBeDefined();
  });

  test('shrinks to what the siblings need when one offer is rejected', async () => {
    const [large] =
      (await placeOffers(db.database, [
        { destination: 'a', cores: 8 },
        { destination: 'a', cores: 2 },
      ])) ?? [];
    await rejectOffer(db.database, large ?? fail(), 'anonymous');
    expect((await peaks(db.database)).get('a')).toBe(2);
    expect(await placeOffers(db.database, [{ destination: 'a', cores: 6 }])).toBeDefined();
  });

  test('is free again as soon as it expires, with or without a sweeper', async () => {
    await placeOffers(db.database, [{ destination: 'a', cores: 8, lifetime: -1 }]);
    expect(await placeOffers(db.database, [{ destination: 'a', cores: 8 }])).toBeDefined();
  });

  test('is freed once by two sweepers that run at the same time', async () => {
    for (let n = 0; n < 8; n += 1) await placeOffers(db.database, [{ destination: 'a', cores: 1 }]);
    await db.database.$executeRaw`UPDATE reservation SET expires_at = clock_timestamp()`;
    await db.database.$executeRaw`UPDATE offer SET expires_at = clock_timestamp()`;
    const swept = await Promise.all([sweep(db.database), sweep(db.database), sweep(db.database)]);
    expect(swept.reduce((sum, { lapsed }) => sum + lapsed, 0)).toBe(8);
    expect(await db.database.offer.count({ where: { state: 'EXPIRED' } })).toBe(8);
    expect((await peaks(db.database)).get('a')).toBeUndefined();
  });
});

function fail(): never {
  throw new Error('there is no such offer');
}
