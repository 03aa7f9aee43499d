import { PyDict, keyError } from '../../objects/collections/dict.ts';
import { raise } from '../../errors.ts';
import { isCallable } from '../../objects/classes/callable.ts';
import { fill } from '../../builtins/dicts.ts';
import { PyClass } from '../../objects/class.ts';
import { types } from '../../objects/types.ts';
import type { Value } from '../../objects/object.ts';
import { call } from '../../objects/protocol.ts';
import { repr } from '../../text/repr.ts';

export const defaultDictClass = new PyClass('defaultdict', [types.dict], { module: 'collections' });

/** A dict that makes missing values. */
class DefaultDict extends PyDict {
  readonly #factory: Value;
  override get joinsFirst(): boolean {
    return true;
  }

  constructor(factory: Value) {
    super([], defaultDictClass, (key) => {
      if (factory === null) return keyError(key);
      const made = call(factory, []);
      this.set(key, made);
      return made;
    });
    this.#factory = factory;
  }
  override like(pairs: Iterable<readonly [Value, Value]>): PyDict {
    const made = new DefaultDict(this.#factory);
    for (const [key, value] of pairs) made.set(key, value);
    return made;
  }
  override repr(): string {
    return `defaultdict(${repr(this.#factory)}, ${super.repr()})`;
  }
  override attribute(name: string): Value | undefined {
    return name === 'default_factory' ? this.#factory : super.attribute(name);
  }
}
defaultDictClass.create = (_cls, [factory = null, ...args], kwargs) => {
  if (factory !== null && !isCallable(factory))
    raise('TypeError', 'first argument must be callable or None');
  const made = new DefaultDict(factory);
  fill(made, 'defaultdict', args, kwargs);
  return made;
};
