import { describe, expect, test } from '@jest/globals';
import { readSeedAsk } from '../../src/dialects/seed/read.ts';
import { vocabularyOf } from '../../src/http/asks/vocabulary.ts';
import type { Understood } from '../../src/planner/dialect.ts';
import { understand, type ReadUrl } from '../../src/planner/understand.ts';
import type { Vocabulary } from '../../src/planner/vocabulary.ts';
import { builtInKnown } from '../../src/plugins/types.ts';
import { siteOf } from '../harness/asks.ts';

const NOTHING: Understood = {
  ok: false,
  refusals: [{ code: 'unknown-key', place: { what: 'task' } }],
};
const CLIENT = 'somebody';
const vocabulary = vocabularyOf(builtInKnown, siteOf({ a: {} }));

describe('an ask with URLs', () => {
  test('is read again with what they hold, and with what that names', async () => {
    const texts = new Map([
      ['one', 'two'],
      ['two', 'three'],
      ['three', ''],
    ]);
    const asked: string[] = [];
    const readUrl: ReadUrl = async (url) => {
      asked.push(url);
      return { kind: 'text', text: texts.get(url) ?? '' };
    };
    const chains: (readonly string[])[] = [];
    const reading = lookingAlong('one', chains);
    const { vocabulary: whole } = await understand(reading, vocabulary, readUrl, CLIENT);
    expect(asked).toEqual(['one', 'two', 'three']);
    expect(chains.at(-1)).toEqual(['one', 'two', 'three']);
    expect(whole.sources?.find('two')).toEqual({ kind: 'text', text: 'three' });
  });

  test('is read once where nobody reads URLs', async () => {
    const chains: (readonly string[])[] = [];
    await understand(lookingAlong('one', chains), vocabulary, undefined, CLIENT);
    expect(chains).toEqual([['one']]);
  });

  test('is read at most eleven times, and a hundred of its URLs', async () => {
    const endless: ReadUrl = async (url) => ({ kind: 'text', text: `${url}x` });
    const chains: (readonly string[])[] = [];
    const { vocabulary: deep } = await understand(
      lookingAlong('x', chains),
      vocabulary,
      endless,
      CLIENT,
    );
    expect(chains).toHaveLength(11);
    expect(deep.sources?.find('x'.repeat(11))).toMatchObject({ kind: 'unread', code: 'busy' });

    const many = Array.from({ length: 150 }, (_, at) => `${at}`);
    let count = 0;
    const counting: ReadUrl = async () => {
      count += 1;
      return { kind: 'text', text: '' };
    };
    const read = ({ sources }: Vocabulary): Understood => {
      for (const url of many) sources?.find(url);
      return NOTHING;
    };
    const { vocabulary: whole } = await understand({ read }, vocabulary, counting, CLIENT);
    expect(count).toBe(100);
    expect(whole.sources?.find('149')).toMatchObject({ kind: 'unread' });
  });

  test('has no requirements that nobody has read', async () => {
    const spec = { source: '', requirements: 'https://example.org/requirements.txt' };
    const task = { type: 'https://www.purl.org/ivoa-net/task-type/python-program', spec };
    const { understood } = await understand(
      { read: (known) => readSeedAsk({ task }, known) },
      { ...vocabulary, urls: { allowHosts: ['example.org'], fileRoots: [] } },
      undefined,
      CLIENT,
    );
    expect(understood).toMatchObject({ ok: false, refusals: [{ code: 'source-unread' }] });
  });

  test('has two seconds for all of them', async () => {
    const given: number[] = [];
    const readUrl: ReadUrl = async (url, patience) => {
      given.push(patience);
      return { kind: 'text', text: url === 'x' ? 'xx' : '' };
    };
    await understand(lookingAlong('x', []), vocabulary, readUrl, CLIENT);
    expect(given).toHaveLength(2);
    expect(Math.max(...given)).toBeLessThanOrEqual(2000);
    expect(given[1]).toBeLessThanOrEqual(given[0] ?? 0);
  });
});

/** A document that names a URL, whose text is another URL, and so on. */
function lookingAlong(first: string, chains: (readonly string[])[]) {
  return {
    read: ({ sources }: Vocabulary): Understood => {
      const chain: string[] = [];
      for (let url = first; url !== '';) {
        chain.push(url);
        const held = sources?.find(url);
        url = held?.kind === 'text' ? held.text : '';
      }
      chains.push(chain);
      return NOTHING;
    },
  };
}
