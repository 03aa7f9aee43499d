import { addMethod } from '../dataclasses/method.ts';
import { raise } from '../../errors.ts';
import { eq, truthy } from '../../objects/compare.ts';
import { PyInstance, notImplemented } from '../../objects/classes/instance.ts';
import { PyClass } from '../../objects/class.ts';
import type { Value } from '../../objects/object.ts';

/** `functools.total_ordering`: derives the missing order methods from one of them and `__eq__`. */
export function totalOrdering(cls: Value): Value {
  if (!(cls instanceof PyClass)) return raise('TypeError', 'total_ordering() needs a class');
  const has = (name: string): boolean => cls.lookup(name) !== undefined;
  const root = ['__lt__', '__le__', '__gt__', '__ge__'].find(has);
  if (root === undefined)
    return raise('ValueError', 'must define at least one ordering operation: < > <= >=');
  const ask = (self: Value, other: Value): Value | undefined =>
    self instanceof PyInstance ? self.operator(root, other) : undefined;
  const wants: Readonly<Record<string, (self: Value, other: Value, holds: boolean) => boolean>> = {
    __lt__: (a, b, holds) =>
      root === '__le__'
        ? holds && !truthy(eq(a, b))
        : !holds && (root === '__ge__' || !truthy(eq(a, b))),
    __gt__: (a, b, holds) =>
      root === '__ge__'
        ? holds && !truthy(eq(a, b))
        : !holds && (root === '__le__' || !truthy(eq(a, b))),
    __le__: (a, b, holds) =>
      root === '__lt__'
        ? holds || truthy(eq(a, b))
        : root === '__gt__'
          ? !holds
          : !holds || truthy(eq(a, b)),
    __ge__: (a, b, holds) =>
      root === '__gt__'
        ? holds || truthy(eq(a, b))
        : root === '__lt__'
          ? !holds
          : !holds || truthy(eq(a, b)),
  };
  for (const [name, decide] of Object.entries(wants)) {
    if (has(name)) continue;
    addMethod(cls, name, ['self', 'other'], (self = null, other = null) => {
      const answer = ask(self, other);
      return answer === undefined ? notImplemented : decide(self, other, truthy(answer));
    });
  }
  return cls;
}
