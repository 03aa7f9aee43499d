import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { until } from '../../uws/clients/worker.ts';
import { startFollowedService, wish, type FollowedService } from './followed.ts';

const stop = { say: 'stop' };

describe('a client that waits for a session', () => {
  let service: FollowedService;
  beforeAll(async () => {
    service = await startFollowedService();
  });
  afterAll(() => service.close());

  const accepted = async (): Promise<string> =>
    String((await service.send('/musts', wish())).document['link']);
  /** Sends an update when somebody waits. */
  const whenWaiting = async (link: string): Promise<void> => {
    await until(() => service.waiting() > 0);
    await service.send(link, stop);
  };

  test.each([
    ['WAIT, as at the job list', '?WAIT=60', {}, null],
    ['the longest WAIT', '?WAIT=-1', {}, null],
    ['a preference', '', { Prefer: 'respond-async, wait=60' }, 'wait=60'],
  ])('with %s is answered when the phase changes', async (_title, query, headers, applied) => {
    const link = await accepted();
    const begun = performance.now();
    const [seen] = await Promise.all([
      service.send(link + query, undefined, headers),
      whenWaiting(link),
    ]);
    expect(seen.document['is']).toBe('cancelled');
    expect(seen.headers.get('preference-applied')).toBe(applied);
    expect(performance.now() - begun).toBeLessThan(30_000);
  });

  test('is answered with the same phase when its time is over', async () => {
    const link = await accepted();
    const begun = performance.now();
    expect((await service.send(`${link}?WAIT=1`)).document['is']).toBe('accepted');
    expect(performance.now() - begun).toBeGreaterThan(900);
  });

  test('is answered at once when the session is over, or the request is HEAD', async () => {
    const link = await accepted();
    const head = await fetch(`${link}?WAIT=60`, {
      method: 'HEAD',
      headers: { Authorization: 'Bearer ada' },
    });
    expect(head.status).toBe(200);
    await service.send(link, stop);
    const { document, headers } = await service.send(link, undefined, { Prefer: 'wait=60' });
    expect([document['is'], headers.get('preference-applied')]).toEqual(['cancelled', null]);
  });

  test('waits for an offer no longer than it is held', async () => {
    const [bid] = await service.bids();
    await service.db.database
      .$executeRaw`UPDATE offer SET expires_at = clock_timestamp() + interval '1 s'
        WHERE id = ${bid?.id ?? ''}::uuid`;
    const { document } = await service.send(`${bid?.link}?WAIT=60`);
    expect(document['is']).toBe('expired');
  });

  test('hears within seconds that somebody does not want the offer', async () => {
    const [bid] = await service.bids();
    const begun = performance.now();
    const [seen] = await Promise.all([
      service.send(`${bid?.link}?WAIT=60`),
      until(() => service.waiting() > 0).then(() =>
        service.send(bid?.link ?? '', { say: 'leave' }),
      ),
    ]);
    expect(seen.document['is']).toBe('rejected');
    expect(performance.now() - begun).toBeLessThan(30_000);
  });

  test.each(['0', 'soon', '1.5'])('is told that WAIT=%s is none', async (wait) => {
    const { status, document } = await service.send(`${await accepted()}?WAIT=${wait}`);
    expect([status, document['code']]).toEqual([400, 'parameter-invalid']);
  });
});
