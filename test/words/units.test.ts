import { describe, expect, test } from '@jest/globals';
import { fromCores, fromGibibytes, mebibytes, millicores, printSize, readMebibytes, toCores } from '../../src/words/units.ts';

describe('sizes', () => {
  test.each([
    ['16Gb', 16_384], ['16GB', 16_384], ['16GiB', 16_384], ['16G', 16_384], ['16Gi', 16_384], [16, 16_384], ['16', 16_384], ['1024Gb', 1_048_576],
    ['1Tb', 1_048_576], ['512MiB', 512], ['512 Mb', 512], ['0.5Gb', 512], ['.5G', 512], ['1048576b', 1], ['-1Gb', -1024],
  ])('%p is read as %p MiB, the binary unit that the draft means', (text, size) => {
    expect(readMebibytes(text)).toBe(size);
  });

  test.each(['', 'Gb', '16 parsecs', '1e3Gb', '16Gbb', '0x10', 'NaN', 'Infinity', '1,5Gb', '١٦Gb', '9'.repeat(50), Number.NaN, Infinity])(
    '%p cannot be read as a size', (text) => {
      expect(readMebibytes(text)).toBeUndefined();
    });

  test('a printed size is read back as the same amount', () => {
    for (const size of [1, 512, 1000, 1024, 1536, 16_384, 2 ** 40]) expect(readMebibytes(printSize(mebibytes(size), 'Gb'))).toBe(size);
  });
});

describe('amounts', () => {
  test('are rounded up, so that a promise is never below what was asked', () => {
    expect(fromCores(0.0001)).toBe(1);
    expect(fromCores(2.5)).toBe(2500);
    expect(toCores(fromCores(0.3))).toBe(0.3);
    expect(fromGibibytes(0.0001)).toBe(1);
    expect(fromGibibytes(11.399999999999999)).toBe(11_674);
  });

  test('that are negative, broken or absurd cannot be made', () => {
    for (const value of [-1, 0.5, Number.NaN, Infinity, 2 ** 31]) expect(() => millicores(value)).toThrow(RangeError);
    for (const value of [-1, 0.5, Number.NaN, 2 ** 41]) expect(() => mebibytes(value)).toThrow(RangeError);
  });
});
