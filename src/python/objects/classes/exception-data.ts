import { PyError, raise } from '../../errors.ts';
import { tick } from '../../meter.ts';
import { str } from '../../text/repr.ts';
import type { PyClass } from '../class.ts';
import { PyTuple } from '../collections/tuple.ts';
import { asInt } from '../numbers/number.ts';
import { PyObject } from '../object.ts';
import type { Value } from '../object.ts';
import { PyException } from './exceptions.ts';
import { defineMethods } from './native.ts';

/** What an exception is told with, and its attributes. */
type Data = {
  readonly args: readonly Value[];
  readonly attributes: Readonly<Record<string, Value>>;
};

/**
 * Gives an exception class an `__init__` of its own, by the text of its signature, which a call of
 * the class runs; classes that extend it inherit it.
 */
export function withInit(
  cls: PyClass,
  signature: string,
  init: (...args: (Value | undefined)[]) => Data,
): void {
  defineMethods(cls, PyException, {
    [signature]: (self, ...given) => {
      const { args, attributes } = init(...given);
      self.args = new PyTuple([...args]);
      for (const [name, value] of Object.entries(attributes)) self.attributes.set(name, value);
      return null;
    },
  });
  cls.create = (owner, args, kwargs) => {
    const made = new PyException(owner, args);
    const run = owner.isUser ? undefined : cls.lookupFor(made, '__init__');
    if (run instanceof PyObject) run.call(args, kwargs);
    return made;
  };
}

/** A new exception of such a class, on its way up. */
export function madeError(cls: PyClass, given: readonly Value[]): PyError {
  const made = cls.call(given);
  const args = made instanceof PyException ? made.args.items : given;
  return made instanceof PyObject
    ? new PyError(cls.name, args, str(args[0] ?? null), made)
    : raise('SystemError', `${cls.name} makes no object`);
}

/** A place in a text. Positions count characters, lines and columns begin at 1. */
type Place = { readonly pos: number; readonly lineno: number; readonly colno: number };

/** Line and column of a position; `undefined` unless they are a text and a number. */
export function placedIn(text: Value, position: Value): Place | undefined {
  const pos = asInt(position);
  if (typeof text !== 'string' || typeof pos !== 'number') return undefined;
  let [at, lineno, last] = [0, 1, -1];
  for (const c of text) {
    if (at >= pos) break;
    if (c === '\n') [lineno, last] = [lineno + 1, at];
    at += 1;
  }
  tick(at >> 6);
  return { pos, lineno, colno: pos - last };
}
