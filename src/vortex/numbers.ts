import { float } from '../python/index.ts';
import type { Value } from '../python/index.ts';

/**
 * Text that spells a number counts as it, as in TPV's comparisons with what
 * destinations accept; any other stays text.
 */
export function numberIn(text: string): Value {
  const word = text.trim().replaceAll(/(?<=\d)_(?=\d)/g, '');
  return /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/.test(word) ? float(Number(word)) : text;
}
