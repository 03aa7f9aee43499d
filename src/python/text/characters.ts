import { raise } from '../errors.ts';
import { tick } from '../meter.ts';
import type { Value } from '../objects/object.ts';
import { PySlice, position } from '../objects/collections/slice.ts';

/**
 * Python's white space, as the inside of a character class: Unicode's and four control characters.
 */
export const SPACES = '\\p{White_Space}\\x1c-\\x1f';
/** The line ends of `splitlines`. */
export const LINE_ENDS = '\\n\\r\\v\\f\\x1c-\\x1e\\u0085\\u2028\\u2029';

const SURROGATE = /[\uD800-\uDFFF]/;

/** Whether a string contains characters that JavaScript counts as two. */
export function hasSurrogates(text: string): boolean {
  return SURROGATE.test(text);
}

/** The characters of a string as Python counts them. */
export function characters(text: string): string[] {
  tick(text.length >> 4);
  return hasSurrogates(text) ? Array.from(text) : text.split('');
}

/** `text[key]`: a character or, for a slice, a part. @throws IndexError, TypeError */
export function stringItem(text: string, key: Value): string {
  tick(text.length >> 8);
  const whole = hasSurrogates(text) ? Array.from(text) : text;
  if (!(key instanceof PySlice))
    return (
      whole[position(key, whole.length, 'string')] ??
      raise('IndexError', 'string index out of range')
    );
  const { start, step, count } = key.over(whole.length);
  tick(count >> 4);
  if (step === 1) {
    const part = whole.slice(start, start + count);
    return typeof part === 'string' ? part : part.join('');
  }
  return Array.from({ length: count }, (_, i) => whole[start + i * step] ?? '').join('');
}
