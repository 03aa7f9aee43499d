/** Bytes as hexadecimal digits, two for each. */
export function hexDigits(bytes: Iterable<number>): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The bytes of pairs of hexadecimal digits. */
export function bytesOfHex(digits: string): readonly number[] {
  return (digits.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16));
}
