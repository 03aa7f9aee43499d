import { raise } from '../../errors.ts';
import { PyDict } from '../../objects/collections/dict.ts';
import { PyObject } from '../../objects/object.ts';
import { PyClass } from '../../objects/class.ts';
import { types } from '../../objects/types.ts';
import type { Kwargs, Value } from '../../objects/object.ts';
import { call } from '../../objects/protocol.ts';
import { PyTuple } from '../../objects/collections/tuple.ts';
import { Wrapper } from './wrapper.ts';

export const partialClass = new PyClass('partial', [types.object], { module: 'functools' });

/** `functools.partial(...)`: a call with its first arguments fixed. */
class Partial extends Wrapper {
  readonly #fn: Value;
  readonly #args: readonly Value[];
  readonly #kwargs: Kwargs;

  constructor(fn: Value, args: readonly Value[], kwargs: Kwargs) {
    super();
    this.#fn = fn;
    this.#args = args;
    this.#kwargs = kwargs;
  }
  get cls(): PyClass {
    return partialClass;
  }
  override attribute(name: string): Value | undefined {
    if (name === 'func') return this.#fn;
    if (name === 'args') return new PyTuple(this.#args);
    return name === 'keywords' ? new PyDict(this.#kwargs) : super.attribute(name);
  }
  override call(args: readonly Value[], kwargs?: Kwargs): Value {
    const merged = new Map([...this.#kwargs, ...(kwargs ?? [])]);
    return call(this.#fn, [...this.#args, ...args], merged.size === 0 ? undefined : merged);
  }
}
partialClass.create = (_cls, [fn, ...args], kwargs) =>
  fn instanceof PyObject
    ? new Partial(fn, args, kwargs ?? new Map())
    : raise('TypeError', 'the first argument must be callable');
