import { float } from '../python/index.ts';
import type { Value } from '../python/index.ts';

/** Text that spells a number as a float, as Python's `float(text)`; any other text as it is. */
export function floatIn(text: string): Value {
  const number = spelledNumber(text);
  return number === undefined ? text : float(number);
}

/** The number that a text spells in decimal digits, `1_000` among them; undefined for others. */
export function spelledNumber(text: string): number | undefined {
  const digits = text.trim().replaceAll(/(?<=\d)_(?=\d)/g, '');
  return /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/.test(digits) ? Number(digits) : undefined;
}
