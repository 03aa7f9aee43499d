import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { load } from 'js-yaml';
import { startFollowedService, wish, type FollowedService, type Sent } from './followed.ts';

/** The address of the next page; undefined: there is none. */
function nextOf({ headers, document }: Sent): string | undefined {
  const [, link] = /^<(.+)>; rel="next"$/.exec(headers.get('link') ?? '') ?? [];
  expect(document['next']).toBe(link ?? null);
  return link;
}

describe('an answer', () => {
  let service: FollowedService;
  beforeAll(async () => {
    service = await startFollowedService();
  });
  afterAll(() => service.close());

  test('is read again with its offers as they are now', async () => {
    const [bid] = await service.bids();
    await service.send(bid?.link ?? '', { say: 'take' });
    const { document: list } = await service.send('/hopes?limit=1');
    const { id } = Object(list['answers'])[0];
    const { status, headers, document } = await service.send(`/hopes/${id}`);
    expect([status, headers.get('etag')]).toEqual([200, expect.any(String)]);
    expect(document).toMatchObject({ id, can: true, wish: wish(), bids: [{ id: bid?.id }] });
    expect(document).toMatchObject({ bids: [{ is: 'accepted', made: { start: 'AUTO' } }] });
  });

  test('is read in whatever vocabulary it was asked, also a NO', async () => {
    const type = 'https://www.purl.org/ivoa-net/task-type/executable';
    const ask = { task: { type, spec: { command: ['sort'] } } };
    const large = { ...ask, resources: { compute: [{ 'min-cores': 64 }] } };
    for (const [document, can] of [
      [ask, true],
      [large, false],
    ] as const) {
      const answer = Object(load((await service.send('/request', document)).text));
      const again = await service.send(`/hopes/${answer.response.ident}`);
      expect([again.status, again.document['can']]).toEqual([200, can]);
      expect(again.document['wish']).toEqual(document);
    }
  });

  test('is read by its owner and by administrators only', async () => {
    await service.bids('bob');
    const { document } = await service.send('/hopes', undefined, {}, 'bob');
    const { id } = Object(document['answers'])[0];
    const statusFor = async (who: string): Promise<number> =>
      (await service.send(`/hopes/${id}`, undefined, {}, who)).status;
    expect([await statusFor('bob'), await statusFor('eve')]).toEqual([200, 200]);
    const foreign = await service.send(`/hopes/${id}`, undefined, {}, 'ada');
    expect([foreign.status, foreign.document['code']]).toEqual([404, 'ask-unknown']);
    expect((await service.send('/hopes/none')).status).toBe(404);
  });
});

describe('the list of', () => {
  let service: FollowedService;
  let asked: readonly string[];
  beforeAll(async () => {
    service = await startFollowedService();
    const ids: string[] = [];
    for (let times = 1; times <= 5; times += 1) {
      const bids = await service.bids();
      ids.push(...bids.map(({ id }) => id));
      await service.bids('bob');
    }
    asked = ids;
  });
  afterAll(() => service.close());

  /** All documents of a list, read page by page. @param between is called after the first page */
  const pages = async (
    path: string,
    key: 'answers' | 'sessions',
    limit: number,
    between: () => Promise<unknown> = async () => undefined,
  ): Promise<readonly object[]> => {
    const found: object[] = [];
    let url: string | undefined = `${path}?limit=${limit}`;
    while (url !== undefined) {
      const page: Sent = await service.send(url);
      const documents: readonly object[] = Object(page.document[key]);
      expect(documents.length).toBeLessThanOrEqual(limit);
      found.push(...documents);
      if (found.length === documents.length) await between();
      url = nextOf(page);
    }
    return found;
  };

  test('sessions has all of a client and none of others, page by page', async () => {
    const sessions = await pages('/bids', 'sessions', 2);
    expect(sessions.map((one) => Object(one).id).toSorted()).toEqual(asked.toSorted());
    expect(await pages('/bids', 'sessions', 100)).toEqual(sessions);
  });

  test('answers has the latest first, each with its offers', async () => {
    const answers = await pages('/hopes', 'answers', 2);
    expect(answers).toHaveLength(5);
    const times = answers.map((one) => String(Object(one).at));
    expect(times).toEqual(times.toSorted().toReversed());
    const bids = answers.flatMap((one): readonly object[] => Object(one).bids);
    expect(bids.map((one) => Object(one).id).toSorted()).toEqual(asked.toSorted());
  });

  test('answers stays in its place when new ones come between two pages', async () => {
    const before = await pages('/hopes', 'answers', 100);
    const during = await pages('/hopes', 'answers', 2, () => service.bids());
    expect(during.map((one) => Object(one).id)).toEqual(before.map((one) => Object(one).id));
  });

  test('both is one page of at most a hundred, and says what it does not understand', async () => {
    expect((await service.send('/bids?limit=1000000')).status).toBe(200);
    for (const query of ['limit=0', 'limit=some', 'cursor=x', 'cursor=1.2']) {
      const { status, document } = await service.send(`/bids?${query}`);
      expect([status, document['code']]).toEqual([400, 'parameter-invalid']);
    }
  });

  test.each([
    ['/hopes', 'GET, HEAD, OPTIONS, POST'],
    ['/bids', 'GET, HEAD, OPTIONS, POST'],
    ['/hopes/x', 'GET, HEAD, OPTIONS'],
    ['/musts', 'OPTIONS, POST'],
  ])('each kind shares its path with asks: %s takes %s', async (path, allow) => {
    const { headers } = await fetch(service.url + path, { method: 'OPTIONS' });
    expect(headers.get('allow')).toBe(allow);
  });

  test('a client without any is empty', async () => {
    const { document, headers } = await service.send('/bids', undefined, {}, 'eve');
    expect([document, headers.get('link')]).toEqual([{ sessions: [], next: null }, null]);
  });
});
