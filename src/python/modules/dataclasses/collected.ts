import { raise } from '../../errors.ts';
import { PyDict } from '../../objects/collections/dict.ts';
import { PyTuple } from '../../objects/collections/tuple.ts';
import { PyObject } from '../../objects/object.ts';
import type { PyClass } from '../../objects/class.ts';
import { catching } from '../../objects/protocol.ts';
import { repr } from '../../text/repr.ts';
import { DataField, fieldsByClass } from './field.ts';

/** The fields of a class, those of its bases first; a redefined field keeps its place. */
export function collected(cls: PyClass): DataField[] {
  const all = new Map<string, DataField>();
  for (const base of [...cls.mro].reverse())
    for (const field of fieldsByClass.get(base) ?? []) all.set(field.name, field);
  const annotations = cls.dict.get('__annotations__');
  for (const name of cls.annotated) {
    const value = cls.dict.get(name);
    const field =
      value instanceof DataField
        ? value
        : new DataField(new Map(value === undefined ? [] : [['default', value]]));
    const fallback = field.options.get('default');
    if (fallback instanceof PyObject && isUnhashable(fallback))
      raise(
        'ValueError',
        `mutable default ${repr(fallback.cls)} for field ${name} is not allowed: use default_factory`,
      );
    if (value instanceof DataField) cls.dict.delete(name);
    if (fallback !== undefined) cls.dict.set(name, fallback);
    field.name = name;
    field.type = annotations instanceof PyDict ? annotations.get(name) : undefined;
    all.set(name, field);
  }
  return [...all.values()];
}

/** Whether its class has no hash, whatever a tuple contains. */
function isUnhashable(v: PyObject): boolean {
  return !(v instanceof PyTuple) && catching(['TypeError'], () => v.key()) === undefined;
}
