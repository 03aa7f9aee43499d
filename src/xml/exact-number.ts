/**
 * A whole number as a bigint if a double would print another one, such as the identifier of a star
 * in Gaia's catalogue; any other number as it is.
 *
 * @param source what the number was read from, decimal or in YAML's other bases
 */
export function exactNumber(value: number, source: string): number | bigint {
  if (Number.isSafeInteger(value) || !Number.isFinite(value)) return value;
  const [, sign = '', digits = ''] = /^([-+]?)(\d+|0o[0-7]+|0x[\da-f]+)$/i.exec(source) ?? [];
  if (digits === '') return value;
  const exact = sign === '-' ? -BigInt(digits) : BigInt(digits);
  // What is printed counts, too: a double prints its first 17 digits and then zeros, and from 1e21
  // on no digits that anybody takes for exact.
  const isSame = Math.abs(value) < 1e21 ? String(value) === `${exact}` : BigInt(value) === exact;
  return isSame ? value : exact;
}
