import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { colour, PLAIN } from '../../src/console/jobs/colours.ts';
import { openLines, type Line } from '../../src/console/jobs/lines.ts';

const ESC = '\u001B';

function textsOf(lines: readonly Line[]): readonly string[] {
  return lines.map((line) => line.map(({ text }) => text).join(''));
}

/** All lines of a text that comes in these parts, the open one too. */
function read(parts: readonly string[]): readonly Line[] {
  const lines = openLines();
  for (const part of parts) lines.push(part);
  const { added, open } = lines.take();
  return [...added, open];
}

describe('lines of a log', () => {
  test('are the same wherever the text is cut', () => {
    const piece = fc.constantFrom('a', '\n', '\r', `${ESC}[31m`, `${ESC}[0m`, 'word ');
    fc.assert(
      fc.property(fc.array(piece), fc.array(fc.nat(200)), (pieces, cuts) => {
        const text = pieces.join('');
        const places = [0, ...cuts.filter((cut) => cut < text.length).toSorted((a, b) => a - b)];
        const parts = places.map((at, index) => text.slice(at, places[index + 1] ?? text.length));
        expect(read(parts)).toEqual(read([text]));
      }),
    );
  });

  test('of a progress bar collapse to what was written last', () => {
    expect(textsOf(read(['\r 10 %\r 50 %', '\r100 %\ndone\r\n']))).toEqual(['100 %', 'done', '']);
  });

  test('overwrite each other while a progress bar goes on, without keeping all of it', () => {
    const lines = openLines();
    for (let done = 0; done < 1000; done += 1) lines.push(`\r${done} of 1000`);
    expect(textsOf([lines.take().open])).toEqual(['999 of 1000']);
    lines.push('\r');
    expect(textsOf([lines.take().open])).toEqual(['999 of 1000']);
    lines.push('\nnext');
    const { added, open } = lines.take();
    expect(textsOf([...added, open])).toEqual(['999 of 1000', 'next']);
  });

  test('are counted, and very long ones cut', () => {
    const lines = openLines();
    lines.push(`a\n${'x'.repeat(100_000)}`);
    expect(lines.count()).toBe(2);
    expect(textsOf([lines.take().open])[0]).toHaveLength(5002);
  });

  test('may go on for longer than a text of a browser can be', () => {
    const lines = openLines();
    const part = 'x'.repeat(2 ** 26);
    for (let count = 0; count < 9; count += 1) lines.push(part);
    expect(lines.count()).toBe(1);
    expect(textsOf([lines.take().open])[0]).toHaveLength(5002);
    lines.push('\r');
    lines.push('short\n');
    expect(textsOf(lines.take().added)).toEqual(['short']);
  });
});

describe('colours of a log', () => {
  test('become classes, last until they change, and other sequences are left out', () => {
    const { pieces, pen } = colour(`${ESC}[1;32mgood${ESC}[0m${ESC}[2Kbad ${ESC}[91mred`, PLAIN);
    expect(pieces).toEqual([
      { text: 'good', classes: 'c-green c-bold' },
      { text: 'bad ', classes: '' },
      { text: 'red', classes: 'c-red' },
    ]);
    expect(colour('on', pen).pieces).toEqual([{ text: 'on', classes: 'c-red' }]);
  });

  test('titles and links of terminals are left out, however they end, and not the text behind them', () => {
    const link = (end: string): string => `a ${ESC}]8;;http://x/${end}link${ESC}]8;;${end} b`;
    const textOf = (line: string): string =>
      colour(line, PLAIN)
        .pieces.map(({ text }) => text)
        .join('');
    expect(textOf(link('\u0007'))).toBe('a link b');
    expect(textOf(link(`${ESC}\\`))).toBe('a link b');
    expect(textOf(`${ESC}]0;title that does not end`)).toBe('');
    // What `tput sgr0` writes.
    expect(textOf(`${ESC}[1mbold${ESC}(B${ESC}[m plain`)).toBe('bold plain');
  });

  test('of a larger palette are taken whole and not shown', () => {
    expect(colour(`${ESC}[38;5;31mx${ESC}[48;2;1;2;32my`, PLAIN).pieces).toEqual([
      { text: 'x', classes: '' },
      { text: 'y', classes: '' },
    ]);
  });
});
