import { afterAll, describe, expect, test } from '@jest/globals';
import { readDocument, type BodyFormat } from '../../../src/http/body/document.ts';
import { openDocuments } from '../../../src/http/body/documents.ts';
import { Problem } from '../../../src/words/problem.ts';

const documents = openDocuments(256);
afterAll(() => documents.close());

const SIZE = 256 * 1024;
function filled(head: string, piece: string): Buffer {
  return Buffer.from(head + piece.repeat(Math.floor((SIZE - head.length) / piece.length)));
}
async function read(bytes: Uint8Array, format: BodyFormat = 'yaml'): Promise<unknown> {
  return documents
    .read(bytes, format)
    .catch((error: unknown) =>
      error instanceof Problem ? `${error.code}: ${error.message}` : error,
    );
}

/** Whether the event loop turned before the work was done. */
async function turnsDuring(work: Promise<unknown>): Promise<boolean> {
  let turned = false;
  const turn = setImmediate(() => (turned = true));
  await work;
  clearImmediate(turn);
  return turned;
}

describe('a long body', () => {
  test.each([
    ['a list', filled('x:\n', '- a\n')],
    ['lists in lists', filled('x:\n', '- - - a\n')],
    ['mappings', filled('x:\n', '- {}\n')],
    ['anchors', filled('x:\n', '- &a 1\n')],
    ['keys', Buffer.from(Array.from({ length: 26_000 }, (_, index) => `k${index}: 1\n`).join(''))],
    ['JSON lists', Buffer.from(`[${'[],'.repeat(80_000)}1]`)],
  ])('of %s has too many values, and is refused with what to do', async (_, bytes) => {
    expect(await read(bytes, bytes[0] === 0x5b ? 'json' : 'yaml')).toMatch(
      /^body-unreadable: .*there are more than 25600 values; send long tables as a file, or as one text/,
    );
  });

  test.each([
    [
      'JSON',
      Buffer.from(JSON.stringify({ a: 'x'.repeat(100_000), b: [1, { c: null }, true, 'é'] })),
    ],
    ['YAML', Buffer.from(`a: ${'x'.repeat(100_000)}\nb: [1, { c: null }, true, é]\n`)],
  ])('of %s is read like a short one', async (kind, bytes) => {
    expect(await read(bytes, kind === 'JSON' ? 'json' : 'yaml')).toEqual({
      a: 'x'.repeat(100_000),
      b: [1, { c: null }, true, 'é'],
    });
  });

  test('that is wrong is refused with its place', async () => {
    expect(await read(filled('x: [\n', ' a,\n'))).toMatch(
      /^body-unreadable: The body cannot be read as YAML: .* \(line \d+, column \d+\)/,
    );
    expect(await read(Buffer.from(`{"a": "${'x'.repeat(50_000)}", "__proto__": 1}`), 'json')).toBe(
      'body-unreadable: The body cannot be used: at __proto__, __proto__ cannot be a key.',
    );
  });

  test('is read beside the event loop, which turns meanwhile', async () => {
    // A program of 256 KiB as a text: one value, and the slowest accepted body.
    const bytes = filled('x: |\n', ' a\n');
    expect(await turnsDuring(Promise.resolve().then(() => readDocument(bytes, 'yaml')))).toBe(
      false,
    );
    // A busy machine may keep this thread from turning until the other one has answered.
    const turned: boolean[] = [];
    for (let time = 0; time < 10; time += 1) turned.push(await turnsDuring(read(bytes)));
    expect(turned).toContain(true);
  });
});
