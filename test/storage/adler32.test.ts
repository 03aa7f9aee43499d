import { deflateSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { adler32 } from '../../src/storage/check/adler32.ts';

function of(...pieces: readonly Uint8Array[]): string {
  const sum = adler32();
  for (const piece of pieces) sum.update(piece);
  return sum.digest();
}
/** The Adler-32 at the end of a zlib stream (RFC 1950). */
function byZlib(bytes: Uint8Array): string {
  return deflateSync(bytes).subarray(-4).toString('hex');
}

describe('Adler-32', () => {
  test.each([
    ['', '00000001'],
    ['a', '00620062'],
    ['abc', '024d0127'],
    ['message digest', '29750586'],
    ['Wikipedia', '11e60398'],
    ['abcdefghijklmnopqrstuvwxyz', '90860b20'],
  ])('of %j is %s', (text, sum) => expect(of(Buffer.from(text))).toBe(sum));

  test('is that of zlib for the bytes that make its sums largest', () => {
    const bytes = Buffer.alloc(1_000_003, 255);
    expect(of(bytes)).toBe(byZlib(bytes));
  });

  test('is that of zlib in whatever pieces the bytes come', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 20_000 }), { maxLength: 5 }), (pieces) => {
        expect(of(...pieces)).toBe(byZlib(Buffer.concat(pieces)));
      }),
    );
  });
});
