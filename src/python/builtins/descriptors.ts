import { raise } from '../errors.ts';
import { PyProperty, PyUnboundMethod } from '../objects/classes/descriptors.ts';
import { superOf } from '../objects/classes/make-class.ts';
import { defineMethods } from '../objects/classes/native.ts';
import { PyClass } from '../objects/class.ts';
import { typeOf, types } from '../objects/types.ts';
import type { Value } from '../objects/object.ts';

defineMethods(types.property, PyProperty, {
  'getter(function, /)': (self, getter: Value) => self.with({ getter }),
  'setter(function, /)': (self, setter: Value) => self.with({ setter }),
  'deleter(function, /)': (self, deleter: Value) => self.with({ deleter }),
});
types.property.create = (_cls, [getter = null, setter = null, deleter = null], named) =>
  new PyProperty(
    named?.get('fget') ?? getter,
    named?.get('fset') ?? setter,
    named?.get('fdel') ?? deleter,
  );
types.staticmethod.create = (cls, [inner = null]) => new PyUnboundMethod(cls, inner);
types.classmethod.create = (cls, [inner = null]) => new PyUnboundMethod(cls, inner);
types.super.create = (_cls, [cls, self]) => superOf(cls instanceof PyClass ? cls : undefined, self);
types.type.create = (_cls, args) => {
  const [v] = args;
  return v === undefined || args.length > 1
    ? raise('TypeError', 'type() takes 1 argument: classes are made with the class statement')
    : typeOf(v);
};
