import { PyDict } from '../../objects/collections/dict.ts';
import { nativeFunction } from '../../objects/classes/native.ts';
import { PyObject } from '../../objects/object.ts';
import type { Value } from '../../objects/object.ts';
import { call, findAttribute, getAttribute, items, setAttribute } from '../../objects/protocol.ts';
import { PyTuple } from '../../objects/collections/tuple.ts';
import { str } from '../../text/repr.ts';

/** The attributes that a wrapper copies: `functools.WRAPPER_ASSIGNMENTS` and `WRAPPER_UPDATES`. */
const WRAPPER_ASSIGNMENTS: Value = new PyTuple([
  '__module__',
  '__name__',
  '__qualname__',
  '__doc__',
  '__annotations__',
]);
const WRAPPER_UPDATES: Value = new PyTuple(['__dict__']);

/** `functools.update_wrapper`, `wraps` and their constants. */
export const wrapping: Readonly<Record<string, Value>> = {
  WRAPPER_ASSIGNMENTS,
  WRAPPER_UPDATES,
  update_wrapper: nativeFunction(
    'update_wrapper(wrapper, wrapped, assigned=, updated=)',
    (wrapper: Value, wrapped: Value, assigned, dicts) =>
      updated(wrapper, wrapped, assigned ?? WRAPPER_ASSIGNMENTS, dicts ?? WRAPPER_UPDATES),
  ),
  wraps: nativeFunction('wraps(wrapped, assigned=, updated=)', (wrapped: Value, assigned, dicts) =>
    nativeFunction('update_wrapper(wrapper)', (wrapper: Value) =>
      updated(wrapper, wrapped, assigned ?? WRAPPER_ASSIGNMENTS, dicts ?? WRAPPER_UPDATES),
    ),
  ),
};

/**
 * Makes a function look like the one it wraps.
 * @throws AttributeError for a wrapper that cannot have the attributes
 */
function updated(wrapper: Value, wrapped: Value, assigned: Value, dicts: Value): Value {
  for (const name of items(assigned).map(str)) {
    const value = findAttribute(wrapped, name);
    if (value !== undefined) setAttribute(wrapper, name, value);
  }
  for (const name of items(dicts).map(str)) {
    if (name === '__dict__') {
      const own = wrapped instanceof PyObject ? wrapped.ownAttributes() : [];
      for (const [key, value] of own) if (!key.startsWith('__')) setAttribute(wrapper, key, value);
    } else
      call(getAttribute(getAttribute(wrapper, name), 'update'), [
        findAttribute(wrapped, name) ?? new PyDict(),
      ]);
  }
  setAttribute(wrapper, '__wrapped__', wrapped);
  return wrapper;
}
