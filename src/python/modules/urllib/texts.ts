import { raise } from '../../errors.ts';
import { PyBytes } from '../../objects/collections/bytes.ts';
import { truthy } from '../../objects/compare.ts';
import { asText } from '../../objects/object.ts';
import { typeName } from '../../objects/types.ts';
import type { Value } from '../../objects/object.ts';

/**
 * A URL or a part of one.
 * @throws NotImplementedError for bytes, and for None and its like, which CPython treats as bytes
 */
export function urlText(v: Value = null): string {
  const own = asText(v);
  if (own !== undefined) return own;
  if (v instanceof PyBytes || !truthy(v))
    return raise('NotImplementedError', 'URLs of bytes are not supported in rule files');
  return raise('AttributeError', `'${typeName(v)}' object has no attribute 'decode'`);
}
