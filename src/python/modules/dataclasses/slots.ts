import { raise } from '../../errors.ts';
import { settableNames } from '../../objects/classes/make-class.ts';
import type { PyClass } from '../../objects/class.ts';
import { PyTuple } from '../../objects/collections/tuple.ts';
import { fieldsByClass } from './field.ts';
import type { DataField } from './field.ts';

/** Instances take the fields alone; the defaults are no attributes of the class then. */
export function addSlots(cls: PyClass, fields: readonly DataField[]): void {
  if (cls.dict.has('__slots__')) raise('TypeError', `${cls.name} already specifies __slots__`);
  const inherited = new Set(
    cls.mro.slice(1).flatMap((base) => (fieldsByClass.get(base) ?? []).map(({ name }) => name)),
  );
  const own = fields.map(({ name }) => name).filter((name) => !inherited.has(name));
  for (const name of own) cls.dict.delete(name);
  cls.dict.set('__slots__', new PyTuple(own));
  cls.slots = settableNames(cls);
}
