import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { TestDatabase } from '../../harness/database.ts';
import { startFollowedService, wish, type Bid, type FollowedService } from './followed.ts';

/** Resolves when a statement waits for a lock of another transaction. */
async function untilSomebodyWaits(database: TestDatabase['database']): Promise<void> {
  for (;;) {
    const [{ waiting } = { waiting: 0n }] = await database.$queryRaw<{ waiting: bigint }[]>`
      SELECT count(*) AS waiting FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    if (waiting > 0n) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const take = { say: 'take' };
const stop = { say: 'stop' };

describe('a session', () => {
  let service: FollowedService;
  beforeAll(async () => {
    service = await startFollowedService();
  });
  afterAll(() => service.close());

  const bid = async (who?: string): Promise<Bid> => {
    const [first] = await service.bids(who);
    if (first === undefined) throw new Error('no bid');
    return first;
  };
  const moveTo = (id: string, ...states: readonly string[]) =>
    states.reduce<Promise<unknown>>(
      (before, state) =>
        before.then(
          () =>
            service.db.database
              .$executeRaw`UPDATE offer SET state = ${state}::session_state WHERE id = ${id}::uuid`,
        ),
      Promise.resolve(),
    );

  test('says what its reader may make of it, by its state', async () => {
    const { link } = await bid();
    expect((await service.send(link)).document['can']).toEqual(['ACCEPTED', 'REJECTED']);
    const accepted = await service.send(link, take);
    expect(accepted.document).toMatchObject({ is: 'accepted', can: ['CANCELLED'] });
    const cancelled = await service.send(link, stop);
    expect(cancelled.document).toMatchObject({ is: 'cancelled', can: [] });
  });

  test('says it by identity too: an administrator accepts nothing for others', async () => {
    const { link } = await bid('bob');
    const seen = await service.send(link, undefined, {}, 'eve');
    expect([seen.status, seen.document['can']]).toEqual([200, ['REJECTED']]);
    expect((await service.send(link, undefined, {}, 'ada')).status).toBe(404);
  });

  test('is shown in each of its phases, after it was accepted with its job', async () => {
    const { id, link } = await bid();
    expect((await service.send(link)).document['made']).toBeUndefined();
    await service.send(link, take);
    expect((await service.send(link)).document['made']).toMatchObject({
      start: 'AUTO',
      results: [],
    });
    for (const state of ['WAITING', 'PREPARING', 'AVAILABLE', 'RUNNING', 'RELEASING']) {
      await moveTo(id, state);
      expect((await service.send(link)).document).toMatchObject({
        is: state.toLowerCase(),
        can: ['CANCELLED'],
      });
    }
  });

  test('that is cancelled before it runs is over, here and at the job list', async () => {
    const { id, link } = await bid();
    await service.send(link, take);
    expect((await service.send(link, stop)).document['is']).toBe('cancelled');
    expect((await service.send(`/jobs/${id}/phase`)).text).toBe('ABORTED');
    expect((await service.send(link)).document).toMatchObject({
      made: { error: { code: 'aborted' } },
    });
  });

  test('that is cancelled while it runs is stopped, as by PHASE=ABORT', async () => {
    const { id, link } = await bid();
    await service.send(link, take);
    await moveTo(id, 'PREPARING', 'RUNNING');
    expect((await service.send(link, stop)).status).toBe(200);
    const job = await service.db.database.job.findUniqueOrThrow({ where: { id } });
    expect(job.abortAt).not.toBeNull();
  });

  test('that was aborted at the job list is cancelled here', async () => {
    const { id, link } = await bid();
    await service.send(link, take);
    await fetch(`${service.url}/jobs/${id}/phase`, {
      method: 'POST',
      headers: { Authorization: 'Bearer ada' },
      body: new URLSearchParams({ PHASE: 'ABORT' }),
      redirect: 'manual',
    });
    expect((await service.send(link)).document['is']).toBe('cancelled');
  });

  test('goes nowhere illegal; the refusal says what is legal', async () => {
    const { link } = await bid();
    const { status, document } = await service.send(link, stop);
    expect([status, document['allowed']]).toEqual([409, ['ACCEPTED', 'REJECTED']]);
    await service.send(link, take);
    const late = await service.send(link, { say: 'leave' });
    expect([late.status, late.document['allowed']]).toEqual([409, ['CANCELLED']]);
  });

  test('is read in JSON by a client that names nothing, and its problems too', async () => {
    const { link } = await bid();
    const type = async (url: string, accept: string): Promise<string | null> =>
      (await service.send(url, undefined, { Accept: accept })).headers.get('content-type');
    expect(await type(link, '*/*')).toMatch(/^application\/json/);
    expect(await type(link, 'application/json, application/yaml')).toMatch(/^application\/yaml/);
    expect(await type(link, 'application/json, application/yaml;q=0.9')).toMatch(/json/);
    expect(await type('/bids/none', '*/*')).toMatch(/^application\/problem\+json/);
    expect(await type('/offers/none', '*/*')).toMatch(/^application\/problem\+yaml/);
  });
});

describe('an update of one version of a session', () => {
  let service: FollowedService;
  beforeAll(async () => {
    service = await startFollowedService();
  });
  afterAll(() => service.close());

  const versionOf = async (link: string, accept = 'application/json'): Promise<string> =>
    (await service.send(link, undefined, { Accept: accept })).headers.get('etag') ?? '';
  const accepted = async (): Promise<string> =>
    String((await service.send('/musts', wish())).document['link']);

  test('is made while the session is that version, in any representation', async () => {
    for (const accept of ['application/json', 'application/yaml']) {
      const link = await accepted();
      const tag = await versionOf(link, accept);
      expect(tag).toMatch(/^"[\w-]{43}-(?:json|yaml)"$/);
      const { status } = await service.send(link, stop, { 'If-Match': `"other", ${tag}` });
      expect(status).toBe(200);
    }
    expect((await service.send(await accepted(), stop, { 'If-Match': '*' })).status).toBe(200);
  });

  test('is refused with 412 when the session has changed, and changes nothing', async () => {
    const [first] = await service.bids();
    const link = first?.link ?? '';
    const tag = await versionOf(link);
    await service.send(link, take);
    const { status, document } = await service.send(link, stop, { 'If-Match': tag });
    expect([status, document['code']]).toEqual([412, 'precondition-failed']);
    expect((await service.send(link)).document['is']).toBe('accepted');
    expect((await service.send(link, stop, { 'If-Match': 'W/"*"' })).status).toBe(412);
  });

  test('is refused even if the session changes between the look and the update', async () => {
    const link = await accepted();
    const id = link.slice(-36);
    const tag = await versionOf(link);
    const { database } = service.db;
    const [late] = await database.$transaction(async (other) => {
      await other.$executeRaw`UPDATE offer SET state = 'PREPARING' WHERE id = ${id}::uuid`;
      const update = service.send(link, stop, { 'If-Match': tag });
      await untilSomebodyWaits(database);
      return [update];
    });
    expect((await late)?.status).toBe(412);
    expect((await database.job.findUniqueOrThrow({ where: { id } })).abortAt).toBeNull();
  });

  test('may come again with the version from before it', async () => {
    const [first] = await service.bids();
    const link = first?.link ?? '';
    const tag = await versionOf(link);
    for (let times = 1; times <= 2; times += 1)
      expect((await service.send(link, take, { 'If-Match': tag })).status).toBe(200);
  });

  test('has a tag in its answer, with which the session can be read', async () => {
    const link = await accepted();
    const tag = (await service.send(link, stop)).headers.get('etag') ?? '';
    const same = await service.send(link, undefined, { 'If-None-Match': tag });
    expect([same.status, same.text]).toEqual([304, '']);
    const other = await service.send(link, undefined, { 'If-None-Match': '"other"' });
    expect([other.status, other.headers.get('etag')]).toEqual([200, tag]);
  });

  test('and a reading of one version are refused alike: 412 by GET and HEAD when it is another', async () => {
    const readings = async (link: string, match: string): Promise<readonly unknown[]> => {
      const headers = { Authorization: 'Bearer ada', 'If-Match': match };
      const url = new URL(link, service.url);
      const head = await fetch(url, { method: 'HEAD', headers });
      const get = await service.send(link, undefined, { 'If-Match': match });
      return [get.document['code'] ?? get.status, head.status];
    };
    const link = await accepted();
    const tag = await versionOf(link);
    expect(await readings(link, `"other", ${tag}`)).toEqual([200, 200]);
    await service.send(link, stop);
    expect(await readings(link, tag)).toEqual(['precondition-failed', 412]);
    for (const place of [link, '/site', '/environments', '/calendar']) {
      expect([place, ...(await readings(place, '"other"'))]).toEqual([
        place,
        'precondition-failed',
        412,
      ]);
      expect([place, ...(await readings(place, '*'))]).toEqual([place, 200, 200]);
    }
  });
});
