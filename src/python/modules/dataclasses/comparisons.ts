import { raise } from '../../errors.ts';
import { eq, orderItems } from '../../objects/compare.ts';
import { PyInstance, notImplemented } from '../../objects/classes/instance.ts';
import { PyTuple } from '../../objects/collections/tuple.ts';
import type { PyClass } from '../../objects/class.ts';
import type { OrderOp, Value } from '../../objects/object.ts';
import { valuesOf } from './field.ts';
import type { DataField } from './field.ts';
import { addMethod } from './method.ts';

export function addComparisons(cls: PyClass, fields: readonly DataField[], ordered: boolean): void {
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
  for (const [name, op] of ordered ? orders : []) {
    if (cls.dict.has(name))
      raise(
        'TypeError',
        `Cannot overwrite attribute ${name} in class ${cls.name}. Consider using functools.total_ordering`,
      );
    addMethod(cls, name, ['self', 'other'], (self = null, other = null) =>
      sameClass(self, other)
        ? orderItems(op, valuesOf(self, compared), valuesOf(other, compared))
        : notImplemented,
    );
  }
}
