import { raise } from '../errors.ts';
import { builtins } from '../builtins/table.ts';
import type { Value } from '../objects/object.ts';

/** A global name without a value: the built-in of that name, or NameError. */
export function noGlobal(name: string): Value {
  const builtin = builtins.get(name);
  return builtin === undefined ? raise('NameError', `name '${name}' is not defined`) : builtin;
}

export function noLocal(name: string): never {
  return raise(
    'UnboundLocalError',
    `cannot access local variable '${name}' where it is not associated with a value`,
  );
}

export function noFree(name: string): never {
  return raise(
    'NameError',
    `cannot access free variable '${name}' where it is not associated with a value in enclosing scope`,
  );
}
