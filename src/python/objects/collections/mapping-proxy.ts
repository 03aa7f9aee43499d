import { raise } from '../../errors.ts';
import { repr } from '../../text/repr.ts';
import type { PyDict } from './dict.ts';
import { defineMethods } from '../classes/native.ts';
import { PyObject } from '../object.ts';
import { PyClass } from '../class.ts';
import { types } from '../types.ts';
import type { Key, PyIterator, Value } from '../object.ts';
import { call, getAttribute } from '../protocol.ts';

const proxyClass = new PyClass('mappingproxy', [types.object]);

/** A read-only view of a dict. */
export class PyMappingProxy extends PyObject {
  readonly #dict: PyDict;

  constructor(dict: PyDict) {
    super();
    this.#dict = dict;
  }
  get cls(): PyClass {
    return proxyClass;
  }
  override truthy(): boolean {
    return this.#dict.truthy();
  }
  override repr(): string {
    return `mappingproxy(${repr(this.#dict)})`;
  }
  override key(): Key {
    return raise('TypeError', "unhashable type: 'mappingproxy'");
  }
  override equals(other: Value): Value | undefined {
    return this.#dict.equals(other instanceof PyMappingProxy ? other.#dict : other);
  }
  override iterate(): PyIterator {
    return this.#dict.iterate();
  }
  override length(): number {
    return this.#dict.length();
  }
  override item(key: Value): Value {
    return this.#dict.item(key);
  }
  override contains(key: Value): boolean | undefined {
    return this.#dict.contains(key);
  }
  /** The result of a method of the dict that changes nothing. */
  read(method: string, args: readonly Value[]): Value {
    return call(getAttribute(this.#dict, method), args);
  }
}
defineMethods(proxyClass, PyMappingProxy, {
  'get(key, default=, /)': (self, key: Value, fallback) =>
    self.read('get', [key, fallback ?? null]),
  'keys()': (self) => self.read('keys', []),
  'values()': (self) => self.read('values', []),
  'items()': (self) => self.read('items', []),
  'copy()': (self) => self.read('copy', []),
});
