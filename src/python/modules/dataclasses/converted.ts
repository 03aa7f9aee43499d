import { fieldsByClass, valuesOf, fieldsOf } from './field.ts';
import { raise } from '../../errors.ts';
import { PyDict } from '../../objects/collections/dict.ts';
import { PyInstance } from '../../objects/classes/instance.ts';
import { PyList } from '../../objects/collections/list.ts';
import type { Value } from '../../objects/object.ts';
import { types } from '../../objects/types.ts';
import { call } from '../../objects/protocol.ts';
import { deepCopy } from '../copy.ts';
import { PyTuple } from '../../objects/collections/tuple.ts';

/** What an instance becomes, of the names and values of its fields. */
type Made = (names: readonly string[], values: readonly Value[]) => Value;

/** `asdict`. */
export function asDict(v: Value, factory: Value | undefined): Value {
  return converted(v, 'asdict', (names, values) => {
    const pairs = names.map((name, i) => [name, values[i] ?? null] as const);
    return factory === undefined ? new PyDict(pairs) : call(factory, [listOfPairs(pairs)]);
  });
}

/** `astuple`. */
export function asTuple(v: Value, factory: Value | undefined): Value {
  return converted(v, 'astuple', (_names, values) =>
    factory === undefined ? new PyTuple(values) : call(factory, [new PyList([...values])]),
  );
}

function converted(v: Value, name: string, made: Made): Value {
  if (!(v instanceof PyInstance) || !v.cls.mro.some((cls) => fieldsByClass.has(cls)))
    raise('TypeError', `${name}() should be called on dataclass instances`);
  return plain(v, made);
}

/** It descends into lists, tuples, dicts and other data classes, which keep their classes. */
function plain(v: Value, made: Made): Value {
  const inside = (item: Value): Value => plain(item, made);
  if (v instanceof PyInstance && v.cls.mro.some((cls) => fieldsByClass.has(cls))) {
    const fields = fieldsOf(v);
    const values = valuesOf(v, fields).map(inside);
    return made(
      fields.map(({ name }) => name),
      values,
    );
  }
  if (v instanceof PyList) return new PyList(v.items.map(inside));
  if (v instanceof PyTuple) {
    const values = v.items.map(inside);
    return v.cls === types.tuple ? new PyTuple(values) : call(v.cls, values);
  }
  if (v instanceof PyDict) {
    const pairs = v.pairs().map(([key, value]) => [inside(key), inside(value)] as const);
    return v.cls === types.dict ? new PyDict(pairs) : call(v.cls, [listOfPairs(pairs)]);
  }
  return deepCopy(v);
}

function listOfPairs(pairs: readonly (readonly [Value, Value])[]): PyList {
  return new PyList(pairs.map((pair) => new PyTuple(pair)));
}
