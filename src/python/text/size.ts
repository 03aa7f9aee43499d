import { raise } from '../errors.ts';
import { tick } from '../meter.ts';

/** Longest string a built-in makes, in UTF-16 units; beyond, MemoryError. */
const MAX_TEXT = 1 << 24;

/**
 * Pays for a string of `length` units.
 * @throws MemoryError when it is longer than a snippet may make
 */
export function payForText(length: number): void {
  if (length > MAX_TEXT) raise('MemoryError', '');
  tick(length >> 6);
}
