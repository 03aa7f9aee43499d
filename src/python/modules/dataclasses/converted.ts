import { fieldsByClass, valuesOf, fieldsOf } from './field.ts';
import { raise } from '../../errors.ts';
import { PyDict } from '../../objects/collections/dict.ts';
import { PyInstance } from '../../objects/classes/instance.ts';
import { PyList } from '../../objects/collections/list.ts';
import type { Value } from '../../objects/object.ts';
import { deepCopy } from '../copy.ts';
import { PyTuple } from '../../objects/collections/tuple.ts';

export function instanceAsPlain(v: Value, name: string, asDict: boolean): Value {
  if (!(v instanceof PyInstance) || !v.cls.mro.some((cls) => fieldsByClass.has(cls)))
    raise('TypeError', `${name}() should be called on dataclass instances`);
  return plain(v, asDict);
}

/** `asdict` and `astuple` descend into lists, tuples, dicts and other data classes. */
function plain(v: Value, asDict: boolean): Value {
  if (v instanceof PyInstance && v.cls.mro.some((cls) => fieldsByClass.has(cls))) {
    const fields = fieldsOf(v);
    const values = valuesOf(v, fields).map((value) => plain(value, asDict));
    return asDict
      ? new PyDict(fields.map((field, i) => [field.name, values[i] ?? null] as const))
      : new PyTuple(values);
  }
  if (v instanceof PyList) return new PyList(v.items.map((item) => plain(item, asDict)));
  if (v instanceof PyTuple) return new PyTuple(v.items.map((item) => plain(item, asDict)));
  // CPython makes the dict from its pairs alone, so a defaultdict fails.
  if (v instanceof PyDict && v.cls.name === 'defaultdict')
    raise('TypeError', 'first argument must be callable or None');
  if (v instanceof PyDict)
    return new PyDict(
      v.pairs().map(([key, value]) => [plain(key, asDict), plain(value, asDict)] as const),
    );
  return deepCopy(v);
}
