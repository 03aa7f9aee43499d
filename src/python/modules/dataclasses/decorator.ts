import { addInit } from './init.ts';
import { freeze, isFrozen } from './frozen.ts';
import { addHash } from './hashing.ts';
import { collected } from './collected.ts';
import { addComparisons } from './comparisons.ts';
import { addMethod } from './method.ts';
import { addSlots } from './slots.ts';
import { fieldsByClass } from './field.ts';
import { raise } from '../../errors.ts';
import { truthy } from '../../objects/compare.ts';
import { PyObject } from '../../objects/object.ts';
import { PyClass } from '../../objects/class.ts';
import { typeName } from '../../objects/types.ts';
import type { Kwargs, Value } from '../../objects/object.ts';
import { getAttribute } from '../../objects/protocol.ts';
import { repr, reprInside } from '../../text/repr.ts';

const OPTIONS = new Set(
  'init repr eq order frozen kw_only slots unsafe_hash match_args'.split(' '),
);

export function decorated(cls: Value, options: Kwargs): Value {
  if (!(cls instanceof PyClass))
    return raise('TypeError', `dataclass() needs a class, not ${typeName(cls)}`);
  const strange = [...options.keys()].find((name) => !OPTIONS.has(name));
  if (strange !== undefined)
    raise('TypeError', `dataclass() got an unexpected keyword argument '${strange}'`);
  const has = (name: string, absent: boolean): boolean => truthy(options.get(name) ?? absent);
  const isMadeFrozen = has('frozen', false);
  const fields = collected(cls);
  for (const base of cls.mro.slice(1))
    if (fieldsByClass.has(base) && isFrozen(base) !== isMadeFrozen)
      raise(
        'TypeError',
        isMadeFrozen
          ? 'cannot inherit frozen dataclass from a non-frozen one'
          : 'cannot inherit non-frozen dataclass from a frozen one',
      );
  fieldsByClass.set(cls, fields);
  if (has('init', true)) addInit(cls, fields, has('kw_only', false));
  if (has('repr', true))
    addMethod(cls, '__repr__', ['self'], (self = null) => {
      const shown = fields.filter((field) => field.is('repr'));
      const text = (): string => {
        const values = shown.map(({ name }) => `${name}=${repr(getAttribute(self, name))}`);
        return `${typeName(self)}(${values.join(', ')})`;
      };
      return self instanceof PyObject ? reprInside(self, '...', text) : text();
    });
  if (has('order', false) && !has('eq', true))
    raise('ValueError', 'eq must be true if order is true');
  if (has('eq', true)) addComparisons(cls, fields, has('order', false));
  if (isMadeFrozen) freeze(cls);
  if (has('unsafe_hash', false) || (isMadeFrozen && has('eq', true)))
    addHash(cls, fields, has('unsafe_hash', false));
  if (has('slots', false)) addSlots(cls, fields);
  return cls;
}
