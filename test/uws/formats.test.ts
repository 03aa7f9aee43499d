import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openWorker, type Worker } from './clients/worker.ts';

let worker: Worker;
beforeAll(async () => {
  worker = await openWorker();
});
afterAll(() => worker.close());

const JAVA = [
  'text/html, image/gif, image/jpeg, */*; q=0.2',
  'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2',
];
const FIREFOX = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

/**
 * Media types of the list, a job, its parameters and its results for these headers, without
 * repetitions.
 */
async function typesFor(headers: Record<string, string>): Promise<readonly (string | undefined)[]> {
  const id = await worker.job();
  const answers = await Promise.all(
    ['', `/${id}`, `/${id}/parameters`, `/${id}/results`].map((place) =>
      worker.ask(place, { headers }),
    ),
  );
  return [...new Set(answers.map((answer) => answer.headers.get('content-type')?.split(';')[0]))];
}

describe('a document of the worker', () => {
  test.each(JAVA)('is XML for Java, whose own client says %s', async (accept) => {
    expect(await typesFor({ accept })).toEqual(['application/xml']);
  });

  test('is a page for browsers, by Accept or by Sec-Fetch headers', async () => {
    expect(await typesFor({ accept: FIREFOX })).toEqual(['text/html']);
    expect(await typesFor({ accept: FIREFOX, 'sec-fetch-dest': 'document' })).toEqual([
      'text/html',
    ]);
    expect(await typesFor({ accept: '*/*', 'sec-fetch-dest': 'document' })).toEqual(['text/html']);
    expect(await typesFor({ accept: '*/*', 'sec-fetch-dest': 'empty' })).toEqual([
      'application/xml',
    ]);
  });

  test('is JSON for a client that prefers it, browser or not', async () => {
    expect(await typesFor({ accept: 'application/json' })).toEqual(['application/json']);
    expect(await typesFor({ accept: 'application/xml;q=0.5, application/json' })).toEqual([
      'application/json',
    ]);
    expect(await typesFor({ accept: 'application/xml, application/json;q=0.5' })).toEqual([
      'application/xml',
    ]);
    expect(await typesFor({ accept: 'application/json, application/xhtml+xml;q=0.5' })).toEqual([
      'application/json',
    ]);
  });

  test('is in the format that the client names, also with a charset', async () => {
    for (const type of ['application/json', 'application/xml', 'text/html'])
      expect(await typesFor({ accept: `${type};charset=UTF-8` })).toEqual([type]);
    expect(
      await typesFor({ accept: 'application/json; charset="utf-8"; q=0.9, */*;q=0.1' }),
    ).toEqual(['application/json']);
  });

  test('is JSON, or else a page, for a client that takes anything but XML', async () => {
    const noXml = 'application/xml;q=0, */*';
    expect(await typesFor({ accept: noXml })).toEqual(['application/json']);
    expect(await typesFor({ accept: `application/json;q=0, ${noXml}` })).toEqual(['text/html']);
    expect(await typesFor({ accept: 'application/xml;q=0, text/xml' })).toEqual([
      'application/xml',
    ]);
  });

  test('is a page for a program only when it accepts nothing else', async () => {
    expect(await typesFor({ accept: 'text/html' })).toEqual(['text/html']);
    expect(await typesFor({ accept: 'text/html, application/xml;q=0.1' })).toEqual([
      'application/xml',
    ]);
  });

  test('names in Vary what it depends on', async () => {
    expect((await worker.ask('')).headers.get('vary')).toBe('Accept, Sec-Fetch-Dest');
  });
});
