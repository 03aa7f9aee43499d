import { raise } from '../../errors.ts';
import { truthy } from '../../objects/compare.ts';
import { hash } from '../../objects/numbers/hash-of.ts';
import type { PyClass } from '../../objects/class.ts';
import { PyTuple } from '../../objects/collections/tuple.ts';
import { valuesOf } from './field.ts';
import type { DataField } from './field.ts';
import { addMethod } from './method.ts';

/** A hash of the fields that are compared, unless a field says otherwise. */
export function addHash(cls: PyClass, fields: readonly DataField[], isForced: boolean): void {
  if (isForced && (cls.dict.get('__hash__') ?? null) !== null)
    raise('TypeError', `Cannot overwrite attribute __hash__ in class ${cls.name}`);
  const hashed = fields.filter((field) => truthy(field.options.get('hash') ?? field.is('compare')));
  addMethod(cls, '__hash__', ['self'], (self = null) => hash(new PyTuple(valuesOf(self, hashed))));
}
