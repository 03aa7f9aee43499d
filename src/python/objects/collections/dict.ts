import { PyError, raise } from '../../errors.ts';
import { tick } from '../../meter.ts';
import { repr, reprInside } from '../../text/repr.ts';
import { equals } from '../compare.ts';
import { HashIndex } from './hash-index.ts';
import { overTable } from './iterator.ts';
import { keyOf, ownsHash } from '../key.ts';
import { PyObject } from '../object.ts';
import { types } from '../types.ts';
import type { BinaryOp, Key, PyIterator, Value } from '../object.ts';
import type { PyClass } from '../class.ts';

/** One pair of a dict. The first key of several equal ones stays. */
export type Entry = { readonly key: Value; value: Value };

/** A dict in insertion order; also the base of Counter, defaultdict and OrderedDict. */
export class PyDict extends PyObject {
  readonly table = new Map<Key, Entry>();
  readonly cls: PyClass;
  /** Called when a subscript does not find the key (`defaultdict`, `Counter`). */
  readonly missing: ((key: Value) => Value) | undefined;
  /** Whether the class of a key defines its hash; then keys of other classes may equal it. */
  #isMixed = false;
  #index: HashIndex | undefined;

  constructor(
    pairs: Iterable<readonly [Value, Value]> = [],
    cls: PyClass = types.dict,
    missing?: (key: Value) => Value,
  ) {
    super();
    this.cls = cls;
    this.missing = missing;
    for (const [key, value] of pairs) this.set(key, value);
  }
  /** Whether it determines the class of `{} | itself`. */
  get joinsFirst(): boolean {
    return false;
  }
  /** A dict of the same kind with other pairs. */
  like(pairs: Iterable<readonly [Value, Value]>): PyDict {
    return new PyDict(pairs, this.cls, this.missing);
  }
  /** The key in the table of a value equal to `item`, or the key that it would get. */
  #keyOf(item: Value): Key {
    const key = keyOf(item);
    if (this.table.has(key) || !(this.#isMixed || ownsHash(key))) return key;
    this.#index ??= new HashIndex([...this.table].map(([own, entry]) => [own, entry.key] as const));
    return this.#index.find(item, this.table) ?? key;
  }
  get(key: Value): Value | undefined {
    return this.table.get(this.#keyOf(key))?.value;
  }
  set(key: Value, value: Value): void {
    const hashed = this.#keyOf(key);
    const entry = this.table.get(hashed);
    if (entry !== undefined) {
      entry.value = value;
      return;
    }
    this.table.set(hashed, { key, value });
    this.#isMixed ||= ownsHash(hashed);
    this.#index?.add(hashed, key);
  }
  delete(key: Value): Value | undefined {
    const hashed = this.#keyOf(key);
    const entry = this.table.get(hashed);
    this.table.delete(hashed);
    return entry?.value;
  }
  pairs(): [Value, Value][] {
    tick(this.table.size);
    return [...this.table.values()].map(({ key, value }) => [key, value]);
  }
  keys(): Value[] {
    tick(this.table.size);
    return [...this.table.values()].map(({ key }) => key);
  }
  override truthy(): boolean {
    return this.table.size > 0;
  }
  override repr(): string {
    return reprInside(
      this,
      '{...}',
      () =>
        `{${this.pairs()
          .map(([key, value]) => `${repr(key)}: ${repr(value)}`)
          .join(', ')}}`,
    );
  }
  override equals(other: Value): Value | undefined {
    if (!(other instanceof PyDict)) return undefined;
    if (this.table.size !== other.table.size) return false;
    tick(this.table.size);
    for (const [key, entry] of this.table) {
      const theirs = other.table.get(key);
      if (
        theirs === undefined ||
        !(theirs.value === entry.value || equals(entry.value, theirs.value))
      )
        return false;
    }
    return true;
  }
  override key(): Key {
    return raise('TypeError', `unhashable type: '${this.cls.told}'`);
  }
  /** An iterator over one aspect of each entry. */
  each(name: string, pick: (entry: Entry) => Value): PyIterator {
    return overTable(name, this.table, pick);
  }
  override iterate(): PyIterator {
    return this.each('dict_keyiterator', (entry) => entry.key);
  }
  clear(): void {
    this.table.clear();
    this.#index = undefined;
  }
  override length(): number {
    return this.table.size;
  }
  override item(key: Value): Value {
    const found = this.get(key);
    if (found !== undefined) return found;
    return this.missing === undefined ? keyError(key) : this.missing(key);
  }
  override setItem(key: Value, value: Value): void {
    this.set(key, value);
  }
  override deleteItem(key: Value): void {
    if (this.delete(key) === undefined) keyError(key);
  }
  override contains(key: Value): boolean {
    return this.table.has(this.#keyOf(key));
  }
  override binary(op: BinaryOp, right: Value): Value | undefined {
    if (op !== '|' || !(right instanceof PyDict)) return undefined;
    const kind = this.cls === types.dict && right.joinsFirst ? right : this;
    return kind.like([...this.pairs(), ...right.pairs()]);
  }
  override inplace(op: BinaryOp, right: Value): Value | undefined {
    if (op !== '|') return undefined;
    const update = this.cls.lookupFor(this, 'update');
    if (right instanceof PyDict) for (const [key, value] of right.pairs()) this.set(key, value);
    else if (update instanceof PyObject) update.call([right]);
    return this;
  }
}

/** @throws KeyError whose argument is the key itself */
export function keyError(key: Value): never {
  throw new PyError('KeyError', [key], repr(key));
}
