import { describe, expect, test } from '@jest/globals';
import { fitsCards, previewOf, tableOf } from '../../src/console/jobs/previews.ts';

function header(...cards: readonly string[]): string {
  const text = [...cards, 'END'].map((card) => card.padEnd(80)).join('');
  return text.padEnd(Math.ceil(text.length / 2880) * 2880);
}

describe('previews of results', () => {
  test('are chosen by name and media type; scripts and archives have none', () => {
    expect([
      previewOf('html', 'text/html; charset=utf-8'),
      previewOf('plot.png', 'image/png'),
      previewOf('m31.fits', 'image/fits'),
      previewOf('table.csv', 'application/octet-stream'),
      previewOf('stdout', 'text/plain'),
      previewOf('all.zip', 'application/zip'),
      previewOf('x.tiff', 'image/tiff'),
      previewOf('object.constructor', 'application/octet-stream'),
    ]).toEqual(['page', 'image', 'fits', 'table', 'text', undefined, undefined, undefined]);
  });

  test('a table is read with quotes and cut rows, to 100 rows and 30 columns', () => {
    expect(tableOf('a,b\n"x, ""y""","two\nlines"\n', false)).toEqual({
      rows: [
        ['a', 'b'],
        ['x, "y"', 'two\nlines'],
      ],
      isCut: false,
    });
    expect(tableOf('a\tb\n1\t2\n3\t', true)).toEqual({
      rows: [
        ['a', 'b'],
        ['1', '2'],
      ],
      isCut: true,
    });
    const large = tableOf(`${Array(40).fill('x').join(';')}\n`.repeat(500), false);
    expect([large.rows.length, large.rows[0]?.length, large.isCut]).toEqual([100, 30, true]);
  });

  test('headers of a FITS file are read up to the first data', () => {
    const text =
      header('SIMPLE  =                    T', 'NAXIS   =                    0', 'COMMENT hello') +
      header("XTENSION= 'IMAGE   '", 'NAXIS   =                    2 / two') +
      header('SIMPLE  = this is data');
    expect(fitsCards(text)).toEqual([
      { key: 'SIMPLE', value: 'T' },
      { key: 'NAXIS', value: '0' },
      { key: 'COMMENT', value: 'hello' },
      { key: 'XTENSION', value: "'IMAGE   '" },
      { key: 'NAXIS', value: '2 / two' },
    ]);
    expect(fitsCards('PNG')).toEqual([]);
  });
});
