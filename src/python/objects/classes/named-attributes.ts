import { raise } from '../../errors.ts';
import type { Value } from '../object.ts';

/** Special names that can be set on a function, or on an object that stands in for one. */
const NAMES: ReadonlySet<string> = new Set([
  '__name__',
  '__qualname__',
  '__doc__',
  '__module__',
  '__wrapped__',
]);

export function isGivenToFunctions(name: string): boolean {
  return NAMES.has(name);
}

/**
 * The value of such an attribute; `__name__` and `__qualname__` must be strings.
 * @throws TypeError
 */
export function checkedForFunction(name: string, value: Value): Value {
  if ((name === '__name__' || name === '__qualname__') && typeof value !== 'string')
    raise('TypeError', `${name} must be set to a string object`);
  return value;
}
