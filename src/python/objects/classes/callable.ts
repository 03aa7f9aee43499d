import { PyFunction } from './function.ts';
import { PyInstance } from './instance.ts';
import { PyBuiltin } from './native.ts';
import { PyClass } from '../class.ts';
import { typeName } from '../types.ts';
import type { Value } from '../object.ts';

/** Python's `callable(v)`. */
export function isCallable(v: Value): boolean {
  if (v instanceof PyInstance) return v.cls.lookup('__call__') !== undefined;
  const isFunction = v instanceof PyClass || v instanceof PyFunction || v instanceof PyBuiltin;
  return (
    isFunction ||
    [
      'method',
      'function',
      'functools.partial',
      'functools._lru_cache_wrapper',
      'GenericAlias',
    ].includes(typeName(v))
  );
}
