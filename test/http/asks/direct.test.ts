import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startFollowedService, wish, type FollowedService } from './followed.ts';

describe('an ask whose first offer is accepted at once', () => {
  let service: FollowedService;
  beforeAll(async () => {
    service = await startFollowedService();
  });
  afterAll(() => service.close());

  test.each(['/musts', '/bids'])('at %s leads to the session, which is a job', async (path) => {
    const { status, headers, document } = await service.send(path, wish());
    expect([status, document['is']]).toEqual([303, 'accepted']);
    const session = headers.get('location') ?? '';
    expect(session).toBe(document['link']);
    expect((await service.send(session)).document).toMatchObject({ id: document['id'] });
    const job = await service.send(`/jobs/${document['id']}/phase`);
    expect([job.status, job.text]).toEqual([200, 'QUEUED']);
  });

  test('rejects the other offers of its answer', async () => {
    const { document } = await service.send('/musts', wish());
    const { askId } = await service.db.database.offer.findUniqueOrThrow({
      where: { id: String(document['id']) },
    });
    const offers = await service.db.database.offer.findMany({ where: { askId } });
    expect(offers.filter(({ state }) => state === 'ACCEPTED')).toHaveLength(1);
    expect(offers.filter(({ state }) => state === 'OFFERED')).toEqual([]);
  });

  test('says why there is no session, in the words of the dialect, and keeps the answer', async () => {
    const { status, document } = await service.send('/musts', wish(64));
    expect(status).toBe(400);
    expect(document).toMatchObject({ can: false, because: [{ at: '/cpu' }], instead: wish(6) });
    const latest = await service.db.database.ask.findFirst({ orderBy: { createdAt: 'desc' } });
    expect(latest?.result).toBe('NO');
  });

  test('gives the same session to the same request with the same key', async () => {
    const key = { 'Idempotency-Key': randomUUID() };
    const ids = [];
    for (let times = 1; times <= 2; times += 1)
      ids.push((await service.send('/musts', wish(), key)).document['id']);
    expect(ids[0]).toBe(ids[1]);
    const other = await service.send('/musts', wish(2), key);
    expect([other.status, other.document['code']]).toEqual([422, 'idempotency-mismatch']);
    const elsewhere = await service.send('/wishes', wish(), key);
    expect(elsewhere.status).toBe(422);
  });

  test('is never a dry run: a request for one is carried out', async () => {
    const { status, document } = await service.send('/musts?dry-run=true', wish());
    expect(status).toBe(303);
    expect((await service.send(`/jobs/${document['id']}`)).status).toBe(200);
  });

  test('is in the audit trail, which an ask is not', async () => {
    const { headers } = await service.send('/musts', wish());
    await service.send('/wishes', wish());
    const id = headers.get('x-request-id');
    const { document } = await service.send('/audit', undefined, {}, 'eve');
    const entries: readonly object[] = Object(document['audit']);
    expect(entries.filter((one) => Object(one)['request-id'] === id)).toHaveLength(1);
    expect(entries.filter((one) => String(Object(one).action).includes('/wishes'))).toEqual([]);
  });
});
