import { nativeFunction } from '../../python/index.ts';
import type { Value } from '../../python/index.ts';

/** The names that a Python module exports. */
export type Members = readonly (readonly [string, Value])[];

type Native = Parameters<typeof nativeFunction>[1];

/** Functions as members of a module, by signature: `{ 'len(obj)': (obj = null) => ... }`. */
export function functionsOf(table: { readonly [signature: string]: Native }): Members {
  return Object.entries(table).map(([signature, impl]) => [
    signature.slice(0, signature.indexOf('(')),
    nativeFunction(signature, impl),
  ]);
}
