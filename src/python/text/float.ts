import { payForText } from './size.ts';

/**
 * `repr` of a float: the shortest digits that read back, with an exponent from 1e16 up and below
 * 1e-4, and always a point or an exponent.
 */
export function floatText(v: number): string {
  if (Number.isNaN(v)) return 'nan';
  if (!Number.isFinite(v)) return v > 0 ? 'inf' : '-inf';
  const size = Math.abs(v);
  if (size >= 1e16 || (size < 1e-4 && size !== 0)) return exponentText(v.toExponential());
  if (Number.isInteger(v)) return `${Object.is(v, -0) ? '-0' : String(v)}.0`;
  return String(v);
}

/** JavaScript's `1e+5` in Python's form, `1e+05`. */
export function exponentText(text: string): string {
  return text.replace(/e([+-])(\d)$/, 'e$10$2');
}

/** A finite double as an exact fraction: |value| = mantissa * 2 ** exponent. */
export function exactly(v: number): { mantissa: bigint; exponent: number } {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, v);
  const biased = (bits.getUint16(0) >> 4) & 0x7ff;
  const fraction = bits.getBigUint64(0) & 0xfffffffffffffn;
  return biased === 0
    ? { mantissa: fraction, exponent: -1074 }
    : { mantissa: fraction | (1n << 52n), exponent: biased - 1075 };
}

/** |v| * 10 ** places, exactly, rounded half to even. */
export function scaled(v: number, places: number): bigint {
  const { mantissa, exponent } = exactly(v);
  let over = mantissa;
  let under = 1n;
  if (exponent >= 0) over <<= BigInt(exponent);
  else under <<= BigInt(-exponent);
  if (places >= 0) over *= 10n ** BigInt(places);
  else under *= 10n ** BigInt(-places);
  const whole = over / under;
  const twice = (over % under) * 2n;
  return twice > under || (twice === under && whole % 2n === 1n) ? whole + 1n : whole;
}

/** No double has more decimal digits before or after the point; further digits are zeros. */
const EXACT = 1100;

/** |v| with `places` digits after the point, as `%.<places>f` prints it. */
export function fixedText(v: number, places: number): string {
  if (places > EXACT) return fixedText(v, EXACT) + zeros(places - EXACT);
  const digits = scaled(v, places)
    .toString()
    .padStart(places + 1, '0');
  return places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

/**
 * The `count` leading decimal digits of |v| and the power of ten of the first, as `%e` needs them.
 */
export function significant(v: number, count: number): { digits: string; exponent: number } {
  if (count > EXACT) {
    const { digits, exponent } = significant(v, EXACT);
    return { digits: digits + zeros(count - EXACT), exponent };
  }
  if (v === 0) return { digits: '0'.repeat(count), exponent: 0 };
  const guess = Number(v.toExponential(20).split('e')[1]);
  for (const exponent of [guess, guess + 1]) {
    const digits = scaled(v, count - 1 - exponent).toString();
    if (digits.length === count) return { digits, exponent };
  }
  return { digits: `1${'0'.repeat(count - 1)}`, exponent: guess + 1 };
}

function zeros(count: number): string {
  payForText(count);
  return '0'.repeat(count);
}
