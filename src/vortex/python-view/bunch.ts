import { nativeFunction, PyClass, PyDict, PyObject, raise, repr, str } from '../../python/index.ts';
import type { PyIterator, Value } from '../../python/index.ts';

/** `galaxy.util.bunch.Bunch`: attributes by the names of its keys. */
class Bunch extends PyObject {
  readonly #fields: PyDict;

  constructor(fields: Iterable<readonly [Value, Value]>) {
    super();
    this.#fields = new PyDict(fields);
  }
  get cls(): PyClass {
    return bunchClass;
  }
  override truthy(): boolean {
    return this.#fields.length() > 0;
  }
  override str(): string {
    return str(this.#fields);
  }
  override repr(): string {
    return `Bunch(${this.#fields
      .pairs()
      .map(([key, value]) => `${str(key)}=${repr(value)}`)
      .join(', ')})`;
  }
  override attribute(name: string): Value | undefined {
    if (name === '__dict__') return this.#fields;
    const value = this.#fields.get(name);
    if (value !== undefined) return value;
    if (name === 'dict') return nativeFunction('dict()', () => this.#fields);
    return METHODS.has(name) ? this.#fields.attribute(name) : super.attribute(name);
  }
  override setAttribute(name: string, value: Value): void {
    this.#fields.setItem(name, value);
  }
  override iterate(): PyIterator {
    return this.#fields.iterate();
  }
  override item(key: Value): Value {
    return this.#fields.item(key);
  }
  override setItem(key: Value, value: Value): void {
    this.#fields.setItem(key, value);
  }
  override contains(item: Value): boolean {
    return this.#fields.contains(item);
  }
}
const METHODS: ReadonlySet<string> = new Set(['get', 'keys', 'values', 'items']);

export const bunchClass: PyClass = new PyClass('Bunch', [], {
  module: 'galaxy.util.bunch',
  create: (_cls, args, kwargs) => {
    if (args.length > 0)
      raise(
        'TypeError',
        `Bunch.__init__() takes 1 positional argument but ${args.length + 1} were given`,
      );
    return new Bunch(kwargs ?? []);
  },
});
