import { raise } from '../errors.ts';
import { PyDict } from '../objects/collections/dict.ts';
import { PyInstance } from '../objects/classes/instance.ts';
import { overArray } from '../objects/collections/iterator.ts';
import { PyList } from '../objects/collections/list.ts';
import { PyObject } from '../objects/object.ts';
import { typeName } from '../objects/types.ts';
import type { Value } from '../objects/object.ts';
import { items, iterate } from '../objects/protocol.ts';
import { PyRange } from '../objects/collections/range.ts';
import { PySlice } from '../objects/collections/slice.ts';
import { PyTuple } from '../objects/collections/tuple.ts';
import { characters } from '../text/characters.ts';

export function reversed(v: Value): Value {
  if (typeof v === 'string') return overArray('reversed', characters(v).reverse());
  if (v instanceof PyRange) return iterate(v.item(new PySlice(null, null, -1)));
  if (v instanceof PyList || v instanceof PyTuple)
    return overArray('list_reverseiterator', [...v.items].reverse());
  if (v instanceof PyObject && /^(?:deque|o?dict_\w+)$/.test(v.cls.name))
    return overArray('reversed', items(v).reverse());
  if (v instanceof PyDict) return overArray('dict_reversekeyiterator', v.keys().reverse());
  const own =
    v instanceof PyInstance
      ? v.special('__reversed__')
      : v instanceof PyObject
        ? v.reversed()
        : undefined;
  if (own !== undefined) return own;
  if (v instanceof PyObject && v.cls.name.startsWith('dict_'))
    return overArray('reversed', items(v).reverse());
  return raise('TypeError', `'${typeName(v)}' object is not reversible`);
}
