import { raise } from '../../errors.ts';
import { PyObject } from '../object.ts';
import { types } from '../types.ts';
import type { Value } from '../object.ts';
import type { PyClass } from '../class.ts';

/** `@property`. */
export class PyProperty extends PyObject {
  readonly #getter: Value;
  readonly #setter: Value;
  readonly #deleter: Value;

  constructor(getter: Value, setter: Value = null, deleter: Value = null) {
    super();
    this.#getter = getter;
    this.#setter = setter;
    this.#deleter = deleter;
  }
  get cls(): PyClass {
    return types.property;
  }
  /** What it calls. */
  get functions(): readonly Value[] {
    return [this.#getter, this.#setter, this.#deleter];
  }
  override describe(self: Value): Value {
    if (self === null) return this;
    return this.#getter instanceof PyObject
      ? this.#getter.call([self])
      : raise('AttributeError', 'unreadable attribute');
  }
  set(self: PyObject, name: string, value: Value): void {
    if (!(this.#setter instanceof PyObject)) {
      raise('AttributeError', `property '${name}' of '${self.cls.told}' object has no setter`);
    }
    this.#setter.call([self, value]);
  }
  delete(self: PyObject, name: string): void {
    if (!(this.#deleter instanceof PyObject)) {
      raise('AttributeError', `property '${name}' of '${self.cls.told}' object has no deleter`);
    }
    this.#deleter.call([self]);
  }
  /** The same property with another getter, setter or deleter. */
  with(changed: {
    readonly getter?: Value;
    readonly setter?: Value;
    readonly deleter?: Value;
  }): PyProperty {
    const { getter = this.#getter, setter = this.#setter, deleter = this.#deleter } = changed;
    return new PyProperty(getter, setter, deleter);
  }
}

/** `@staticmethod` and `@classmethod`. */
export class PyUnboundMethod extends PyObject {
  readonly cls: PyClass;
  readonly #inner: Value;

  constructor(cls: PyClass, inner: Value) {
    super();
    this.cls = cls;
    this.#inner = inner;
  }
  /** What it calls. */
  get functions(): readonly Value[] {
    return [this.#inner];
  }
  override describe(_self: Value, owner: PyClass): Value {
    const inner = this.#inner;
    if (this.cls === types.staticmethod || !(inner instanceof PyObject)) return inner;
    return inner.describe(owner, owner);
  }
}
