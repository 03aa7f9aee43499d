import { addMethod } from './method.ts';
import type { DataField } from './field.ts';
import { valuesOf } from './field.ts';
import { PyError } from '../../errors.ts';
import { PyException, exceptionClass, exceptionNamed } from '../../objects/classes/exceptions.ts';
import { hash } from '../../objects/numbers/hash-of.ts';
import type { PyClass } from '../../objects/class.ts';
import type { Value } from '../../objects/object.ts';
import { PyTuple } from '../../objects/collections/tuple.ts';
import { repr } from '../../text/repr.ts';

export const frozenError = exceptionClass(
  'FrozenInstanceError',
  exceptionNamed('AttributeError'),
  'dataclasses',
);

export function freeze(cls: PyClass, fields: readonly DataField[]): void {
  addMethod(cls, '__setattr__', ['self', 'name', 'value'], (_self: Value, name: Value): never => {
    const text = `cannot assign to field ${repr(name)}`;
    throw new PyError('FrozenInstanceError', [text], text, new PyException(frozenError, [text]));
  });
  addMethod(cls, '__hash__', ['self'], (self = null) => hash(new PyTuple(valuesOf(self, fields))));
}
