import { dumped, styleOf } from './writer.ts';
import { decodeError } from './error.ts';
import { JsonReader } from './reader.ts';
import { raise } from '../../errors.ts';
import { tick } from '../../meter.ts';
import { truthy } from '../../objects/compare.ts';
import { moduleOf } from '../../objects/classes/module.ts';
import type { PyModule } from '../../objects/classes/module.ts';
import { nativeFunction } from '../../objects/classes/native.ts';
import { PyBytes } from '../../objects/collections/bytes.ts';
import { typeName } from '../../objects/types.ts';
import type { Value } from '../../objects/object.ts';
import { flag } from '../../objects/protocol.ts';
import { decoded } from '../../text/encodings.ts';

/** The module `json`: text only, no files. */
export const jsonModule: PyModule = moduleOf('json', {
  loads: nativeFunction(
    'loads(s, *, object_hook=, parse_float=, parse_int=, parse_constant=, object_pairs_hook=)',
    (source: Value, object, float, int, constant, pairs) => {
      const text = source instanceof PyBytes ? decoded(source.data, 'utf-8', 'strict') : source;
      if (typeof text !== 'string')
        return raise(
          'TypeError',
          `the JSON object must be str, bytes or bytearray, not ${typeName(text)}`,
        );
      tick(text.length >> 4);
      return new JsonReader(text, { object, float, int, constant, pairs }).document();
    },
  ),
  dumps: nativeFunction(
    'dumps(obj, *, indent=, separators=, sort_keys=, ensure_ascii=, default=, skipkeys=, allow_nan=, check_circular=)',
    (v: Value, indent, separators, sort, ascii, fallback, skip, nan) => {
      // CPython ignores the indent of a lone text.
      const style = styleOf(
        typeof v === 'string' ? undefined : indent,
        separators,
        sort,
        ascii,
        fallback,
      );
      return dumped(v, { ...style, skip: flag(skip), nan: nan === undefined || truthy(nan) }, 0);
    },
  ),
  JSONDecodeError: decodeError,
});
