/** Units of amounts: cores are whole millicores, memory and storage are whole MiB. */

declare const unit: unique symbol;
type Measure<Name extends string> = number & { readonly [unit]: Name };

/** Thousandths of a CPU core, a non-negative integer. */
export type Millicores = Measure<'millicores'>;
/** Mebibytes, a non-negative integer. */
export type Mebibytes = Measure<'MiB'>;
/** Whole seconds, non-negative. */
export type Seconds = Measure<'s'>;

/**
 * Largest amount in the database: 2^31 - 1 millicores are two million cores; a larger amount is a
 * mistake.
 */
export const MAX_MILLICORES = 2 ** 31 - 1;
/** 2^40 MiB is one exbibyte. */
export const MAX_MEBIBYTES = 2 ** 40;
/** UWS executionDuration is an xs:int. */
const MAX_SECONDS = 2 ** 31 - 1;

/** @throws RangeError unless it is a whole number of millicores between 0 and 2^31 - 1. */
export function millicores(value: number): Millicores {
  if (isWhole<Millicores>(value, MAX_MILLICORES)) return value;
  throw new RangeError(`not an amount of millicores: ${value}`);
}

/** @throws RangeError unless it is a whole number of MiB between 0 and 2^40. */
export function mebibytes(value: number): Mebibytes {
  if (isWhole<Mebibytes>(value, MAX_MEBIBYTES)) return value;
  throw new RangeError(`not an amount of MiB: ${value}`);
}

/** @throws RangeError unless it is a whole number of seconds between 0 and 2^31 - 1. */
export function seconds(value: number): Seconds {
  if (isWhole<Seconds>(value, MAX_SECONDS)) return value;
  throw new RangeError(`not a number of seconds: ${value}`);
}

/** Converts cores to millicores, rounded up so that a promise is never below the ask. */
export function fromCores(cores: number): Millicores {
  return millicores(roundedUp(cores * 1000));
}

/** Converts millicores to cores: 2500 is 2.5. */
export function toCores(amount: Millicores): number {
  return amount / 1000;
}

/** Converts GiB to MiB, rounded up so that a promise is never below the ask. */
export function fromGibibytes(gib: number): Mebibytes {
  return mebibytes(roundedUp(gib * 1024));
}

/** Converts MiB to GiB. */
export function toGibibytes(amount: Mebibytes): number {
  return amount / 1024;
}

/** A lower or an upper bound of an offer: rounded to whole units so that it still holds. */
export type Bound = 'least' | 'most';
export const ROUNDED: Readonly<Record<Bound, (value: number) => number>> = {
  least: Math.ceil,
  most: Math.floor,
};

/**
 * A client's bound in cores; a maximum may become 0.
 * @throws RangeError above the largest amount
 */
export function boundOfCores(cores: number, bound: Bound): Millicores {
  return millicores(ROUNDED[bound](thousandfold(cores)));
}

/**
 * A client's bound in MiB, from {@link readMebibytes}; a maximum may become 0.
 * @throws RangeError above the largest amount
 */
export function boundOfSize(amount: number, bound: Bound): Mebibytes {
  return mebibytes(ROUNDED[bound](amount));
}

// MiB per unit. The seed's `Gb` is a binary gigabyte: "1Tbyte of scratch" is written `1024Gb` (2023
// draft, level 2b).
const PER_UNIT: ReadonlyMap<string, number> = new Map([
  ['', 1024],
  ['b', 1 / 1024 ** 2],
  ['k', 1 / 1024],
  ['kb', 1 / 1024],
  ['kib', 1 / 1024],
  ['m', 1],
  ['mb', 1],
  ['mib', 1],
  ['g', 1024],
  ['gb', 1024],
  ['gib', 1024],
  ['t', 1024 ** 2],
  ['tb', 1024 ** 2],
  ['tib', 1024 ** 2],
  ['p', 1024 ** 3],
  ['pb', 1024 ** 3],
  ['pib', 1024 ** 3],
]);

const SIZE = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+))\s*([a-z]*)$/i;

/**
 * Reads a size as clients write it: `16Gb`, `16GB`, `16GiB`, `16G`, `512Mi`, or a bare number of
 * GiB.
 *
 * @returns MiB, not rounded, and possibly negative or huge, which the caller checks; undefined for
 * a text that is not a size
 */
export function readMebibytes(value: string | number): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value * 1024 : undefined;
  if (value.length > 40) return undefined;
  const match = SIZE.exec(value.trim());
  if (match === null) return undefined;
  const [, digits = '', suffix = ''] = match;
  const lower = suffix.toLowerCase();
  const factor =
    PER_UNIT.get(lower) ?? (/^[kmgtp]i$/.test(lower) ? PER_UNIT.get(`${lower}b`) : undefined);
  return factor === undefined ? undefined : Number(digits) * factor;
}

/** How a dialect prints sizes: `16Gb` in the seed, or `16GiB`. */
export type SizeStyle = 'Gb' | 'GiB';

const SMALLER: Readonly<Record<SizeStyle, string>> = { Gb: 'Mb', GiB: 'MiB' };
/** MiB of an eighth of a GiB: its multiples have at most three decimals. */
const EIGHTH = 128;

/** Prints a size exactly: `16Gb`, `1.5Gb`, `0.125Gb`, and `500Mb` instead of more decimals. */
export function printSize(amount: Mebibytes, style: SizeStyle): string {
  return amount % EIGHTH === 0 ? `${toGibibytes(amount)}${style}` : `${amount}${SMALLER[style]}`;
}

function isWhole<Unit extends number>(value: number, max: number): value is Unit {
  return Number.isInteger(value) && value >= 0 && value <= max;
}

/**
 * Rounds up to a whole number, and ignores the errors of fractions; an amount above 0 stays above
 * 0.
 */
function roundedUp(amount: number): number {
  return amount > 0 ? Math.max(1, Math.ceil(amount - 1e-6)) : Math.ceil(amount);
}

/** A thousand times a number as it is written: 1.0004 becomes 1000.4, which a product may miss. */
function thousandfold(value: number): number {
  const [digits = '', exponent = '0'] = String(value).split('e');
  return Number(`${digits}e${Number(exponent) + 3}`);
}
