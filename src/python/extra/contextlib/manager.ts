import { PyError } from '../../errors.ts';
import { meter } from '../../meter.ts';
import { defineMethods } from '../../objects/classes/native.ts';
import { PyObject, type Value } from '../../objects/object.ts';
import { PyClass } from '../../objects/class.ts';
import { types } from '../../objects/types.ts';
import { call } from '../../objects/protocol.ts';

/**
 * A context manager of the library: its value on entering, and whether it swallows the exception
 * that ends the block.
 */
export abstract class Manager extends PyObject {
  abstract enter(): Value;
  /** @param error the exception, None when the block ended well */
  abstract leave(error: Value): boolean;

  override readsSpecial(name: string): boolean {
    return name === '__enter__' || name === '__exit__';
  }
}

/** The class of managers with this name in `contextlib`. */
export function managerClass(name: string): PyClass {
  const cls = classNamed(name);
  defineMethods(cls, Manager, {
    '__enter__()': (self) => self.enter(),
    '__exit__(typ, value, traceback)': (self, type: Value, error: Value) =>
      self.leave(exceptionOf(type, error)),
  });
  return cls;
}

/** The exception that ends `body`; `undefined` when it ends well. Restores the depth of calls. */
export function failure(body: () => void): PyError | undefined {
  const { depth } = meter;
  try {
    body();
    return undefined;
  } catch (error) {
    if (!(error instanceof PyError)) throw error;
    meter.depth = depth;
    return error;
  }
}

function classNamed(name: string): PyClass {
  return new PyClass(name, [types.object], { module: 'contextlib' });
}

/** The exception that `__exit__` was called with; makes it when only its class is given. */
function exceptionOf(type: Value | undefined, error: Value | undefined): Value {
  return type === undefined || type === null ? null : (error ?? call(type, []));
}
