import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  boundOfCores,
  boundOfSize,
  fromCores,
  fromGibibytes,
  mebibytes,
  millicores,
  printSize,
  readMebibytes,
  toCores,
} from '../../src/words/units.ts';

describe('sizes', () => {
  test.each([
    ['16Gb', 16_384],
    ['16GB', 16_384],
    ['16GiB', 16_384],
    ['16G', 16_384],
    ['16Gi', 16_384],
    [16, 16_384],
    ['16', 16_384],
    ['1024Gb', 1_048_576],
    ['1Tb', 1_048_576],
    ['512MiB', 512],
    ['512 Mb', 512],
    ['0.5Gb', 512],
    ['.5G', 512],
    ['1048576b', 1],
    ['-1Gb', -1024],
  ])('%p is read as %p MiB, the binary unit that the draft means', (text, size) => {
    expect(readMebibytes(text)).toBe(size);
  });

  test.each([
    '',
    'Gb',
    '16 parsecs',
    '1e3Gb',
    '16Gbb',
    '0x10',
    'NaN',
    'Infinity',
    '1,5Gb',
    '١٦Gb',
    '9'.repeat(50),
    Number.NaN,
    Infinity,
  ])('%p cannot be read as a size', (text) => {
    expect(readMebibytes(text)).toBeUndefined();
  });

  test('a printed size is read back as the same amount, as a minimum and as a maximum', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.integer({ min: 1, max: 4096 }), fc.integer({ min: 1, max: 2 ** 40 })),
        fc.constantFrom('Gb' as const, 'GiB' as const),
        (size, style) => {
          const read = readMebibytes(printSize(mebibytes(size), style)) ?? 0;
          expect([read, boundOfSize(read, 'least'), boundOfSize(read, 'most')]).toEqual([
            size,
            size,
            size,
          ]);
        },
      ),
    );
  });

  test.each([
    [16_384, '16Gb'],
    [1536, '1.5Gb'],
    [128, '0.125Gb'],
    [500, '500Mb'],
    [1, '1Mb'],
    [11_674, '11674Mb'],
    [0, '0Gb'],
  ])('%d MiB are printed as a person would, %s', (size, text) => {
    expect(printSize(mebibytes(size), 'Gb')).toBe(text);
  });
});

describe('bounds', () => {
  test.each([
    [1, 1000, 1000],
    [0.3, 300, 300],
    [1.0004, 1001, 1000],
    [1.000_000_000_000_1, 1001, 1000],
    [2.675, 2675, 2675],
    [1e-9, 1, 0],
    [5e-324, 1, 0],
    [999_999.999, 999_999_999, 999_999_999],
  ])('a minimum of %p cores is %p millicores, and a maximum %p', (cores, least, most) => {
    expect([boundOfCores(cores, 'least'), boundOfCores(cores, 'most')]).toEqual([least, most]);
  });

  test('a minimum is never less than was asked, at least one unit, and a maximum never more', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-12, max: 1e6, noNaN: true }), (amount) => {
        expect(boundOfSize(amount, 'least')).toBeGreaterThanOrEqual(Math.max(1, amount));
        expect(boundOfSize(amount, 'most')).toBeLessThanOrEqual(amount);
        expect(toCores(boundOfCores(amount, 'least'))).toBeGreaterThanOrEqual(amount);
        expect(toCores(boundOfCores(amount, 'most'))).toBeLessThanOrEqual(amount);
      }),
    );
  });

  test('cores are read back as they are printed', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 31 - 1 }), (amount) => {
        const printed = Number(JSON.stringify(toCores(millicores(amount))));
        expect([boundOfCores(printed, 'least'), boundOfCores(printed, 'most')]).toEqual([
          amount,
          amount,
        ]);
      }),
    );
  });
});

describe('amounts', () => {
  test('are rounded up, so that a promise is never below the ask', () => {
    expect(fromCores(0.0001)).toBe(1);
    expect(fromCores(2.5)).toBe(2500);
    expect(toCores(fromCores(0.3))).toBe(0.3);
    expect(fromGibibytes(0.0001)).toBe(1);
    expect(fromGibibytes(11.399999999999999)).toBe(11_674);
    expect([fromCores(0), fromGibibytes(0)]).toEqual([0, 0]);
  });

  test('are at least one unit, however small they are', () => {
    expect([fromCores(1e-10), fromGibibytes(2 ** -30)]).toEqual([1, 1]);
  });

  test('that are negative, broken or absurd are refused', () => {
    for (const value of [-1, 0.5, Number.NaN, Infinity, 2 ** 31])
      expect(() => millicores(value)).toThrow(RangeError);
    for (const value of [-1, 0.5, Number.NaN, 2 ** 41])
      expect(() => mebibytes(value)).toThrow(RangeError);
  });
});
