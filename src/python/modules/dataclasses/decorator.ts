import { addInit } from './init.ts';
import { freeze } from './frozen.ts';
import { addMethod } from './method.ts';
import { DataField, fieldsByClass, valuesOf } from './field.ts';
import { raise } from '../../errors.ts';
import { eq, orderItems, truthy } from '../../objects/compare.ts';
import { PyDict } from '../../objects/collections/dict.ts';
import { PyInstance, notImplemented } from '../../objects/classes/instance.ts';
import { PyObject } from '../../objects/object.ts';
import { PyClass } from '../../objects/class.ts';
import { typeName } from '../../objects/types.ts';
import type { Kwargs, OrderOp, Value } from '../../objects/object.ts';
import { catching, getAttribute } from '../../objects/protocol.ts';
import { PyTuple } from '../../objects/collections/tuple.ts';
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
  if (truthy(options.get('unsafe_hash') ?? false))
    raise('NotImplementedError', 'dataclass(unsafe_hash=True) is not supported');
  const has = (name: string, absent: boolean): boolean => truthy(options.get(name) ?? absent);
  const fields = collected(cls);
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
  if (has('frozen', false)) freeze(cls, fields);
  return cls;
}

/** The fields of a class, those of its bases first; a redefined field keeps its place. */
function collected(cls: PyClass): DataField[] {
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

function addComparisons(cls: PyClass, fields: readonly DataField[], ordered: boolean): void {
  const compared = fields.filter((field) => field.is('compare'));
  const sameClass = (a: Value, b: Value): boolean =>
    a instanceof PyInstance && b instanceof PyInstance && a.cls === b.cls;
  addMethod(cls, '__eq__', ['self', 'other'], (self = null, other = null) =>
    sameClass(self, other)
      ? eq(new PyTuple(valuesOf(self, compared)), new PyTuple(valuesOf(other, compared)))
      : notImplemented,
  );
  const orders: readonly (readonly [string, OrderOp])[] = [
    ['__lt__', '<'],
    ['__le__', '<='],
    ['__gt__', '>'],
    ['__ge__', '>='],
  ];
  for (const [name, op] of ordered ? orders : [])
    addMethod(cls, name, ['self', 'other'], (self = null, other = null) =>
      sameClass(self, other)
        ? orderItems(op, valuesOf(self, compared), valuesOf(other, compared))
        : notImplemented,
    );
}
