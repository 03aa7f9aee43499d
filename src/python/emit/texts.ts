import { payForText } from '../text/size.ts';
import type { Value } from '../objects/object.ts';
import { asciiText, repr, str } from '../text/repr.ts';

/** An f-string from its formatted parts. */
export function join(parts: readonly string[]): string {
  payForText(parts.reduce((sum, part) => sum + part.length, 0));
  return parts.join('');
}

/** `!r`, `!s`, `!a`. */
export function convertedBy(v: Value, conversion: string): string {
  if (conversion === 's') return str(v);
  return conversion === 'r' ? repr(v) : asciiText(v);
}
