import { raise } from '../../errors.ts';
import { PyIterator } from '../object.ts';
import { PyClass } from '../class.ts';
import { types } from '../types.ts';
import type { Value } from '../object.ts';

const classes = new Map<string, PyClass>();

/**
 * An iterator over the results of `next`; `undefined` ends it. `name` is its Python class, with a
 * module if it has one.
 */
export class NativeIterator extends PyIterator {
  readonly #name: string;
  readonly #next: () => Value | undefined;

  constructor(name: string, next: () => Value | undefined) {
    super();
    this.#name = name;
    this.#next = next;
  }
  get cls(): PyClass {
    return iteratorClass(this.#name);
  }
  next(): Value | undefined {
    return this.#next();
  }
}

/** An iterator over a JavaScript generator. */
export function iteratorOf(name: string, source: Iterator<Value>): NativeIterator {
  return new NativeIterator(name, () => {
    const step = source.next();
    return step.done === true ? undefined : step.value;
  });
}

/** An iterator over a list that may grow meanwhile, as in Python. */
export function overArray(name: string, items: readonly Value[]): NativeIterator {
  let at = 0;
  return new NativeIterator(name, () => {
    const item = items[at];
    at += 1;
    return item;
  });
}

/**
 * An iterator over an OrderedDict, which reads one entry ahead: at the end it does not notice a
 * change. `state` counts the changes.
 */
export function overOrdered<T>(
  dict: { readonly table: ReadonlyMap<unknown, T>; readonly state: number },
  pick: (entry: T) => Value,
): NativeIterator {
  const { state } = dict;
  const source = dict.table.values();
  let step = source.next();
  return new NativeIterator('odict_iterator', () => {
    if (step.done === true) return undefined;
    if (dict.state !== state) raise('RuntimeError', 'OrderedDict mutated during iteration');
    const entry = step.value;
    step = source.next();
    return pick(entry);
  });
}

/** An iterator over a hash table. @throws RuntimeError when the table changes size meanwhile */
export function overTable<T>(
  name: string,
  table: ReadonlyMap<unknown, T>,
  pick: (entry: T) => Value,
): NativeIterator {
  const size = table.size;
  const source = table.values();
  return new NativeIterator(name, () => {
    if (table.size !== size) raise('RuntimeError', 'dictionary changed size during iteration');
    const step = source.next();
    return step.done === true ? undefined : pick(step.value);
  });
}

function iteratorClass(name: string): PyClass {
  const known = classes.get(name);
  if (known !== undefined) return known;
  const [, module, own = name] = /^(\w+)\.(.*)$/.exec(name) ?? [];
  const made = new PyClass(own, [types.object], module === undefined ? {} : { module });
  classes.set(name, made);
  return made;
}
