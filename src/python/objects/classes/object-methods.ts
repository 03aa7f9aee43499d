import { raise } from '../../errors.ts';
import { PyInstance, notImplemented } from './instance.ts';
import { identityShown } from '../key.ts';
import { PyBuiltin } from './native.ts';
import { PyObject } from '../object.ts';
import { PyClass } from '../class.ts';
import { typeName, types } from '../types.ts';
import type { Value } from '../object.ts';
import { getAttribute } from '../protocol.ts';

/** The methods of `object`, called with the instance first, or with the class for `__new__`. */
const METHODS: Readonly<Record<string, (args: readonly Value[]) => Value>> = {
  __init__: () => null,
  __init_subclass__: () => null,
  __new__: ([cls]) =>
    cls instanceof PyClass && cls.isUser
      ? cls.create(cls, [])
      : raise('TypeError', 'object.__new__(X): X is not a type object of a class of this snippet'),
  __setattr__: ([self, name, value]) => {
    instance(self).store(attributeName(name), value ?? null);
    return null;
  },
  __delattr__: ([self, name]) => {
    instance(self).remove(attributeName(name));
    return null;
  },
  __repr__: ([self]) => instance(self).nativeRepr(),
  __str__: ([self]) => instance(self).nativeStr(),
  __format__: ([self, spec]) => PyObject.prototype.format.call(instance(self), attributeName(spec)),
  __eq__: ([self, other]) => (self === other ? true : notImplemented),
  __ne__: ([self, other]) => (self === other ? false : notImplemented),
  __hash__: ([self]) => identityShown(instance(self)),
  __getattribute__: ([self, name]) => getAttribute(instance(self), attributeName(name)),
};

/** A method of `object` bound to an instance or class, which `super()` finds after all classes. */
export function objectMethod(self: Value, name: string): Value | undefined {
  const method = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined;
  if (method === undefined) return undefined;
  return new PyBuiltin(name, (args) => method(name === '__new__' ? args : [self, ...args]));
}

/** `object.__setattr__` and its like take the instance as their first argument. */
types.object.specials = (name) => {
  const method = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined;
  return method && new PyBuiltin(name, method);
};

function instance(v: Value | undefined): PyInstance {
  return v instanceof PyInstance
    ? v
    : raise(
        'TypeError',
        `this method of 'object' does not apply to a '${typeName(v ?? null)}' object`,
      );
}

function attributeName(v: Value | undefined): string {
  return typeof v === 'string'
    ? v
    : raise('TypeError', `attribute name must be string, not '${typeName(v ?? null)}'`);
}
