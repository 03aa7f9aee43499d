import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createClaims } from '../../src/executor/claims.ts';
import type { ClaimedAttempt } from '../../src/executor/claims/attempts.ts';
import { rejectOffer } from '../../src/planner/record/update-offer.ts';
import type { NumberedProposal } from '../../src/planner/record/offer-ids.ts';
import type { ManagedStorage } from '../../src/planner/offer.ts';
import { writeStores } from '../../src/schedule/stores.ts';
import { DIRECTORY_TYPE } from '../../src/storage/place.ts';
import { guard, sweep } from '../../src/sweeper/sweep.ts';
import { parseObjectId, type ObjectId, type OfferId } from '../../src/words/ids.ts';
import { mebibytes, seconds } from '../../src/words/units.ts';
import { accept, placeProposals, propose, writeSites } from '../harness/book.ts';
import { openTestDatabase, type TestDatabase } from '../harness/database.ts';
import { runs } from '../harness/runs.ts';

const STORES = { small: 10, large: 25 };

type Volume = {
  readonly backend: 'small' | 'large';
  readonly size: number;
  readonly lifetime: number;
};
type Act =
  | {
      readonly kind: 'ask';
      /** one list of volumes for each alternative */ readonly alternatives: readonly (readonly Volume[])[];
    }
  | {
      readonly kind: 'accept' | 'reject' | 'expire' | 'run' | 'cancel' | 'end' | 'release';
      readonly pick: number;
    };

const volume = fc.record({
  backend: fc.constantFrom<Volume['backend'][]>('small', 'large'),
  size: fc.integer({ min: 1, max: 9 }),
  lifetime: fc.constantFrom(3600, 86_400),
});
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('ask' as const),
      alternatives: fc.array(fc.array(volume, { minLength: 1, maxLength: 2 }), {
        minLength: 1,
        maxLength: 3,
      }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'accept' as const,
        'accept' as const,
        'reject' as const,
        'expire' as const,
        'run' as const,
        'cancel' as const,
        'end' as const,
        'release' as const,
      ),
      pick: fc.nat(30),
    }),
  },
);

function newObject(): ObjectId {
  const object = parseObjectId(randomUUID());
  if (object === undefined) throw new Error('not a UUID');
  return object;
}

describe('the storage of a site', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await openTestDatabase(16);
    await writeSites(db.database, { here: 1000 });
    await writeStores(
      db.database,
      new Map(Object.entries(STORES).map(([name, gib]) => [name, mebibytes(gib * 1024)])),
    );
  });
  afterAll(() => db.close());
  beforeEach(async () => {
    await db.database.$executeRaw`TRUNCATE ask, storage_reservation, storage_use CASCADE`;
  });

  const proposal = (volumes: readonly Volume[], startsIn = 0): NumberedProposal => {
    const one = propose({ destination: 'here', cores: 1, startsIn });
    const storage = volumes.map(({ backend, size, lifetime }, index): ManagedStorage => ({
      kind: 'managed',
      name: `v${index}`,
      object: newObject(),
      backend,
      type: DIRECTORY_TYPE,
      endpoint: undefined,
      size: mebibytes(size * 1024),
      lifetime: seconds(lifetime),
    }));
    return { ...one, promised: { ...one.promised, storage } };
  };
  const place = async (alternatives: readonly (readonly Volume[])[]): Promise<readonly OfferId[]> =>
    (await placeProposals(
      db.database,
      alternatives.map((one) => proposal(one)),
    )) ?? [];
  const claims = () =>
    createClaims(db.database, { executor: 'here:1:x', home: { host: 'here' }, leaseSeconds: 60 });
  /** Handles the sweeper's messages like an executor. */
  const releaseDue = async (): Promise<void> => {
    const firm = await db.database.storageReservation.findMany({ where: { state: 'FIRM' } });
    for (const { objectId } of firm) {
      const object = parseObjectId(objectId ?? '');
      if (object !== undefined && (await claims().dueStore(object)) !== undefined)
        await claims().released(object);
    }
  };
  const claimed = async (job: OfferId): Promise<ClaimedAttempt> =>
    (await claims().read(job)) ?? { id: job, attempt: 0 };
  const performOn = async (kind: Exclude<Act['kind'], 'ask'>, id: OfferId): Promise<unknown> => {
    switch (kind) {
      case 'accept':
        return accept(db.database, id);
      case 'reject':
        return rejectOffer(db.database, id, 'anonymous');
      case 'expire':
        return db.database.$transaction([
          db.database
            .$queryRaw`SELECT 1 FROM ask WHERE id = (SELECT ask_id FROM offer WHERE id = ${id}::uuid) FOR UPDATE`,
          db.database.$executeRaw`
              UPDATE offer SET expires_at = clock_timestamp()
              WHERE ask_id = (SELECT ask_id FROM offer WHERE id = ${id}::uuid)`,
          db.database.$executeRaw`
              UPDATE reservation SET expires_at = clock_timestamp() WHERE state = 'HELD'
              AND ask_id = (SELECT ask_id FROM offer WHERE id = ${id}::uuid)`,
        ]);
      case 'run': {
        const { job, verdict } = await claims().take(id, false);
        return verdict === 'begin' && claims().advance(await claimed(job), 'RUNNING');
      }
      case 'cancel':
        return db.database
          .$queryRaw`SELECT abort_job(${id}::uuid, '{}'::jsonb)::text FROM job WHERE id = ${id}::uuid`;
      case 'end':
        return (
          (await claims()
            .advance(await claimed(id), 'RELEASING')
            .catch(() => false)) &&
          claims().finish(await claimed(id), { state: 'COMPLETED', fault: null }, [])
        );
      case 'release':
        await db.database.$executeRaw`
            UPDATE storage_reservation SET starts_at = least(starts_at, clock_timestamp()),
              ends_at = clock_timestamp() WHERE offer_id = ${id}::uuid AND state = 'FIRM'`;
        await sweep(db.database);
        return releaseDue();
      default:
        return kind satisfies never;
    }
  };
  const perform = async (one: Act, made: OfferId[]): Promise<void> => {
    if (one.kind === 'ask') return void made.push(...(await place(one.alternatives)));
    const id = made[one.pick % Math.max(1, made.length)];
    if (id !== undefined) await performOn(one.kind, id);
  };

  /**
   * The most GiB reserved at any instant, computed independently of the tested code: an object
   * counts until it is removed.
   */
  const peaks = async (): Promise<Readonly<Record<string, number>>> => {
    const rows = await db.database.$queryRaw<{ store: string; gib: number }[]>`
      WITH live AS (SELECT store, size_mib, starts_at, CASE state WHEN 'FIRM' THEN greatest(ends_at,
        clock_timestamp()) ELSE ends_at END AS ends_at
                    FROM storage_reservation WHERE state IN ('HELD', 'FIRM'))
      SELECT a.store, max((SELECT sum(b.size_mib) FROM live b WHERE b.store = a.store
        AND b.starts_at <= a.starts_at AND a.starts_at < b.ends_at))::float8 / 1024 AS gib
      FROM live a GROUP BY a.store`;
    return Object.fromEntries(rows.map(({ store, gib }) => [store, gib]));
  };

  test('is never oversold, whatever eight clients do at once, and is all free again in the end', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(act, { minLength: 3, maxLength: 12 }), { minLength: 2, maxLength: 8 }),
        async (clients) => {
          await db.database.$executeRaw`TRUNCATE ask, storage_reservation, storage_use CASCADE`;
          const made: OfferId[] = [];
          await Promise.all(
            clients.map(async (acts) => {
              for (const one of acts) {
                await perform(one, made);
                const most = await peaks();
                for (const [name, size] of Object.entries(STORES))
                  expect(most[name] ?? 0).toBeLessThanOrEqual(size);
              }
            }),
          );
          expect(await guard(db.database)).toBe(0);
          for (const id of made)
            for (const kind of ['expire', 'run', 'end', 'cancel'] as const)
              await performOn(kind, id);
          await sweep(db.database);
          for (const id of made) await performOn('release', id);
          expect(await peaks()).toEqual({});
          expect(
            await place([[{ backend: 'small', size: STORES.small, lifetime: 3600 }]]),
          ).toHaveLength(1);
        },
      ),
      { numRuns: runs(10) },
    );
  });

  test('is held for the largest alternative of an answer, not their sum, and less after rejections', async () => {
    const [first, second] = await place([
      [{ backend: 'small', size: 9, lifetime: 3600 }],
      [{ backend: 'small', size: 4, lifetime: 3600 }],
    ]);
    expect(await peaks()).toEqual({ small: 9 });
    if (first !== undefined) await rejectOffer(db.database, first, 'anonymous');
    expect(await peaks()).toEqual({ small: 4 });
    if (second !== undefined) await rejectOffer(db.database, second, 'anonymous');
    expect(await peaks()).toEqual({});
  });

  test('is held for none of the time between two alternatives, which others may have', async () => {
    const volume = [{ backend: 'small', size: 9, lifetime: 3600 }] as const;
    const hours = [0, 10, 20].map((hour) => proposal(volume, hour * 3600));
    expect(await placeProposals(db.database, hours.slice(1, 2))).toHaveLength(1);
    const [first, , last] = hours;
    if (first === undefined || last === undefined) throw new Error('no proposals');
    expect(await placeProposals(db.database, [first, last])).toHaveLength(2);
    expect(await accept(db.database, last.id)).toMatchObject({ verdict: 'accepted' });
    expect(await peaks()).toEqual({ small: 9 });
  });

  test('keeps an object as long as a job has it, beyond its lifetime', async () => {
    const [id] = await place([[{ backend: 'small', size: 9, lifetime: 3600 }]]);
    if (id === undefined) throw new Error('it did not fit');
    await accept(db.database, id);
    await performOn('run', id);
    await performOn('release', id);
    expect(await peaks()).toEqual({ small: 9 });
    expect(await place([[{ backend: 'small', size: 9, lifetime: 3600 }]])).toEqual([]);
    await performOn('end', id);
    await performOn('release', id);
    expect(await peaks()).toEqual({});
  });

  test('finds what the guard looks for: more reserved than the store has', async () => {
    await place([[{ backend: 'small', size: 9, lifetime: 3600 }]]);
    await db.database.$executeRaw`UPDATE storage_reservation SET size_mib = 2 * size_mib`;
    expect(await guard(db.database)).toBe(1);
    await db.database.$executeRaw`TRUNCATE oversell_trip`;
  });

  test('finds nothing where a store shrank below a volume that outlives the record of its ask', async () => {
    const [id] = await place([[{ backend: 'small', size: 9, lifetime: 3600 }]]);
    if (id === undefined) throw new Error('it did not fit');
    await accept(db.database, id);
    await performOn('run', id);
    await performOn('end', id);
    await db.database.$executeRaw`DELETE FROM ask`;
    expect(await peaks()).toEqual({ small: 9 });
    await writeStores(db.database, new Map([['small', mebibytes(8 * 1024)]]));
    expect(await guard(db.database)).toBe(0);
  });
});
