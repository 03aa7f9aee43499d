import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { ProvenUser } from '../../../src/identity/sign-in/signed-in.ts';
import { openSignIns } from '../../../src/identity/sign-in/sign-ins.ts';
import { createPurge } from '../../../src/sweeper/purge.ts';
import { openTestDatabase, type TestDatabase } from '../../harness/database.ts';
import { movableClock } from '../identify.ts';

const ADA: ProvenUser = { owner: 'user:ada', user: 'ada', roles: ['a'], kind: 'token', proof: 'x' };
const FROM = { address: '192.0.2.1', agent: 'browser' };

describe('sign-ins', () => {
  let db: TestDatabase;
  let clock: ReturnType<typeof movableClock>;
  beforeAll(async () => {
    db = await openTestDatabase();
  });
  afterAll(() => db?.close());
  beforeEach(async () => {
    clock = movableClock();
    await db.database.$executeRaw`TRUNCATE sign_in`;
  });

  test('are found in memory for 3 s, so that an ask costs no question to the database', async () => {
    const signIns = openSignIns(db.database, clock.now);
    const { name, signIn } = await signIns.begin(ADA, FROM);
    expect(await signIns.find(name)).toEqual(signIn);
    await db.database.$executeRaw`TRUNCATE sign_in`;
    expect(await signIns.find(name)).toEqual(signIn);
    clock.forward(4);
    expect(await signIns.find(name)).toBeUndefined();
  });

  test('that one planner ends have ended there at once, and in others within 3 s', async () => {
    const [here, there] = [
      openSignIns(db.database, clock.now),
      openSignIns(db.database, clock.now),
    ];
    const { name, signIn } = await here.begin(ADA, FROM);
    expect([await here.find(name), await there.find(name)]).toEqual([signIn, signIn]);
    expect(await here.end('user:bob', signIn.id)).toBe(false);
    expect(await here.end(ADA.owner, signIn.id)).toBe(true);
    expect(await here.find(name)).toBeUndefined();
    clock.forward(4);
    expect(await there.find(name)).toBeUndefined();
  });

  test('are not found in memory for longer when the clock of the machine was put back', async () => {
    const signIns = openSignIns(db.database, clock.now);
    const { name, signIn } = await signIns.begin(ADA, FROM);
    expect(await signIns.find(name)).toEqual(signIn);
    clock.forward(-3600);
    expect(await signIns.find(name)).toEqual(signIn);
    await db.database.$executeRaw`TRUNCATE sign_in`;
    clock.forward(4);
    expect(await signIns.find(name)).toBeUndefined();
  });

  test('that end while they are read stay ended', async () => {
    const signIns = openSignIns(db.database, clock.now);
    for (let round = 0; round < 20; round += 1) {
      const { name } = await signIns.begin(ADA, FROM);
      await Promise.all([signIns.find(name), signIns.find(name), signIns.endByName(name)]);
      expect(await signIns.find(name)).toBeUndefined();
    }
  });

  test('end after 12 hours, or before with their credential, and are purged then', async () => {
    const signIns = openSignIns(db.database, clock.now);
    const short = await signIns.begin({ ...ADA, until: clock.now() + 60_000 }, FROM);
    const long = await signIns.begin({ ...ADA, until: clock.now() + 7 * 86_400_000 }, FROM);
    clock.forward(61);
    expect(await signIns.find(short.name)).toBeUndefined();
    expect(await signIns.list(ADA.owner)).toEqual([long.signIn]);
    clock.forward(12 * 3600);
    expect(await signIns.find(long.name)).toBeUndefined();
    await db.database
      .$executeRaw`UPDATE sign_in SET until = now() WHERE id = ${short.signIn.id}::uuid`;
    const { sign_ins: gone } = await createPurge(db.database, () => performance.now()).run();
    expect(gone).toBe(1);
  });

  test('are at most 100 of one owner: the oldest ends for a new one', async () => {
    const signIns = openSignIns(db.database, clock.now);
    const first = await signIns.begin(ADA, FROM);
    await signIns.begin({ ...ADA, owner: 'user:bob' }, FROM);
    for (let more = 0; more < 100; more += 1) {
      clock.forward(0.001);
      await signIns.begin(ADA, FROM);
    }
    expect(await signIns.list(ADA.owner)).toHaveLength(100);
    expect(await signIns.find(first.name)).toBeUndefined();
    expect(await signIns.list('user:bob')).toHaveLength(1);
  });

  test('keep a strange User-Agent as plain text of 200 characters', async () => {
    const signIns = openSignIns(db.database, clock.now);
    const agent = `a\u0000b\u{1F600}${'x'.repeat(500)}`;
    const { signIn } = await signIns.begin(ADA, { ...FROM, agent });
    expect(signIn.agent).toBe(`a b\u{1F600}${'x'.repeat(195)}`);
    expect(await signIns.list(ADA.owner)).toEqual([signIn]);
  });

  test('are not looked for by what cannot be a name', async () => {
    const signIns = openSignIns(db.database, clock.now);
    for (const name of ['', 'x', 'x'.repeat(44), `${'x'.repeat(42)}'`])
      expect(await signIns.find(name)).toBeUndefined();
  });
});
