import { PyError, raise } from '../../errors.ts';
import type { ExceptionName } from '../../errors.ts';
import { PyException } from '../../objects/classes/exceptions.ts';
import { PyBuiltin } from '../../objects/classes/native.ts';
import type { Value } from '../../objects/object.ts';
import type { PyClass } from '../../objects/class.ts';

/*
 * Rule files import such modules before the `try` that guards their use, so the import succeeds and
 * a call raises what that code catches. An embedder may bind modules of its own.
 */

export const UNAVAILABLE = 'not available in rule files';

/** A function that raises a built-in exception. */
export function raisingFunction(name: string, exception: ExceptionName): Value {
  return new PyBuiltin(name, () => raise(exception, `${name}() is ${UNAVAILABLE}`));
}

/** A function that raises an exception class of its module. */
export function failing(name: string, cls: PyClass): Value {
  return new PyBuiltin(name, () => {
    const message = `${name}() is ${UNAVAILABLE}`;
    throw new PyError(cls.name, [message], message, new PyException(cls, [message]));
  });
}

/** Functions of a module that all raise PermissionError. */
export function allRaising(module: string, names: readonly string[]): Record<string, Value> {
  return Object.fromEntries(
    names.map((name) => [name, raisingFunction(`${module}.${name}`, 'PermissionError')]),
  );
}

/** Functions of a module that all raise the same class of its own. */
export function allFailing(
  module: string,
  cls: PyClass,
  names: readonly string[],
): Record<string, Value> {
  return Object.fromEntries(names.map((name) => [name, failing(`${module}.${name}`, cls)]));
}
