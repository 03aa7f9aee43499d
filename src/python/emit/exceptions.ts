import { PyError, raise } from '../errors.ts';
import { FuelExhausted, meter } from '../meter.ts';
import { frame } from '../frame.ts';
import { PyException, chained, exceptionNamed, raising } from '../objects/classes/exceptions.ts';
import { PyObject } from '../objects/object.ts';
import { PyClass } from '../objects/class.ts';
import { typeName, typeOf } from '../objects/types.ts';
import type { Value } from '../objects/object.ts';
import { truthy } from '../objects/compare.ts';
import { PyTuple } from '../objects/collections/tuple.ts';

/**
 * A JavaScript error as a Python exception; restores the depth of calls. Errors of JavaScript
 * itself (stack, array or string too large, a defect of ours) become Python exceptions too, so that
 * nothing else escapes.
 * @throws FuelExhausted, which Python cannot catch
 */
export function caught(error: unknown, depth: number): PyError {
  meter.depth = depth;
  if (error instanceof PyError) {
    // Python itself raised it while another was handled.
    if (frame.handled !== undefined) inContext(error, frame.handled);
    return error;
  }
  if (error instanceof FuelExhausted) throw error;
  const text = error instanceof Error ? error.message : String(error);
  if (!(error instanceof RangeError))
    return new PyError('SystemError', [`internal error: ${text}`], text);
  return text.includes('call stack')
    ? new PyError('RecursionError', ['maximum recursion depth exceeded'], text)
    : new PyError('MemoryError', [], text);
}

/** Records the handled exception as the context of one that leaves a handler or a `finally`. */
export function inContext(error: unknown, handled: unknown): unknown {
  if (!(error instanceof PyError) || !(handled instanceof PyError) || error === handled)
    return error;
  const made = error.value;
  if (made instanceof PyException && made.context === null) chained(error, undefined, handled);
  return error;
}

/** Whether an `except` clause of this class, or tuple of classes, takes the exception. */
export function matches(error: PyError, type: Value): boolean {
  const classes = (type instanceof PyTuple ? type.items : [type]).map(catchable);
  return classes.some((one) => error.value.cls.isSubclassOf(one));
}

/** A bare `raise` outside the text of a handler: the function may have been called by a handler. */
export function nothingToRaise(): never {
  if (frame.handled !== undefined) throw frame.handled;
  return raise('RuntimeError', 'No active exception to reraise');
}

/** A failed `assert`. */
export function failAssertion(message?: Value): never {
  throw raising(exceptionNamed('AssertionError').call(message === undefined ? [] : [message]));
}

/** Enters a `with` block; checks first that both methods exist. */
export function enter(manager: Value): Value {
  special(manager, '__exit__');
  return special(manager, '__enter__').call([]);
}

/** Leaves a `with` block that did not fail. */
export function leave(manager: Value): void {
  special(manager, '__exit__').call([null, null, null]);
}

/** Leaves a `with` block because of an exception; true when the manager swallows it. */
export function leaveWith(manager: Value, error: PyError): boolean {
  const outer = frame.handled;
  frame.handled = error;
  try {
    return truthy(special(manager, '__exit__').call([error.value.cls, error.value, null]));
  } finally {
    frame.handled = outer;
  }
}

function catchable(type: Value): PyClass {
  return type instanceof PyClass && type.isSubclassOf(exceptionNamed('BaseException'))
    ? type
    : raise('TypeError', 'catching classes that do not inherit from BaseException is not allowed');
}

function special(manager: Value, name: string): PyObject {
  const method = typeOf(manager).lookupFor(manager, name);
  if (method instanceof PyObject) return method;
  return raise(
    'TypeError',
    `'${typeName(manager)}' object does not support the context manager protocol`,
  );
}
