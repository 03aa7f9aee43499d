import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { copyLog } from '../../../src/runners/kubernetes/logs/copy.ts';

function lines(from: number, to: number): string {
  return Array.from({ length: to - from }, (_, index) => `line ${from + index} of a log\n`).join(
    '',
  );
}

describe('copying a log goes on', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'log-'));
    file = join(folder, 'stdout');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** The content of the file after the cluster gave this log, in pieces of this many bytes. */
  const copied = async (
    had: string,
    log: string,
    { piece = 64 * 1024, most = 2 ** 30 } = {},
  ): Promise<{ whole: boolean; text: string }> => {
    writeFileSync(file, had);
    const bytes = Buffer.from(log);
    const pieces = Array.from({ length: Math.ceil(bytes.length / piece) }, (_, index) =>
      bytes.subarray(index * piece, (index + 1) * piece),
    );
    const whole = await copyLog(
      { log: async () => Readable.from(pieces) },
      { pod: 'p', container: 'c', file, most, follow: false },
    );
    return { whole, text: readFileSync(file, 'utf8') };
  };

  test.each([1, 7, 64 * 1024])('from where its copy ends, in pieces of %s bytes', async (piece) => {
    const all = lines(0, 1000);
    for (const had of ['', all.slice(0, 5), all.slice(0, 10_000), all])
      expect(await copied(had, all, { piece })).toEqual({ whole: true, text: all });
  });

  test.each([11, 1000, 64 * 1024])(
    'from where its copy ends, after the node has started a new file, in pieces of %s bytes',
    async (piece) => {
      const all = lines(0, 9000);
      expect(await copied(lines(0, 6000), lines(3000, 9000), { piece })).toEqual({
        whole: true,
        text: all,
      });
      expect(await copied(lines(0, 9000), lines(3000, 9000), { piece })).toEqual({
        whole: true,
        text: all,
      });
      // The new file is shorter than the text to find.
      expect(await copied(lines(0, 8999), lines(8990, 9000), { piece })).toEqual({
        whole: true,
        text: all,
      });
      expect(await copied(all, lines(8999, 9000), { piece })).toEqual({ whole: true, text: all });
    },
  );

  test('from what the node still has, when it has dropped what came between', async () => {
    expect(await copied(lines(0, 2000), lines(5000, 6000))).toEqual({
      whole: true,
      text: lines(0, 2000) + lines(5000, 6000),
    });
    expect(await copied(lines(0, 2000), 'end')).toEqual({
      whole: true,
      text: `${lines(0, 2000)}end`,
    });
    expect(await copied(lines(0, 2000), '')).toEqual({ whole: true, text: lines(0, 2000) });
  });

  test('up to its maximum length', async () => {
    expect(await copied('abc', 'abcdefgh', { most: 5 })).toEqual({ whole: false, text: 'abcde' });
  });
});
