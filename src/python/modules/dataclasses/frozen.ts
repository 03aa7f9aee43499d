import { addMethod } from './method.ts';
import { PyError } from '../../errors.ts';
import { PyException, exceptionClass, exceptionNamed } from '../../objects/classes/exceptions.ts';
import type { PyClass } from '../../objects/class.ts';
import { repr } from '../../text/repr.ts';

export const frozenError = exceptionClass(
  'FrozenInstanceError',
  exceptionNamed('AttributeError'),
  'dataclasses',
);

const frozenClasses = new WeakSet<PyClass>();

export function freeze(cls: PyClass): void {
  frozenClasses.add(cls);
  addMethod(cls, '__setattr__', ['self', 'name', 'value'], (_self, name = null) =>
    refuse(`cannot assign to field ${repr(name)}`),
  );
  addMethod(cls, '__delattr__', ['self', 'name'], (_self, name = null) =>
    refuse(`cannot delete field ${repr(name)}`),
  );
}

export function isFrozen(cls: PyClass): boolean {
  return frozenClasses.has(cls);
}

function refuse(text: string): never {
  throw new PyError('FrozenInstanceError', [text], text, new PyException(frozenError, [text]));
}
