import { PyError, raise } from '../../errors.ts';
import { fill } from '../../builtins/dicts.ts';
import { PyDict, keyError } from '../../objects/collections/dict.ts';
import { PyList } from '../../objects/collections/list.ts';
import { defineGetters, defineMethods } from '../../objects/classes/native.ts';
import { PyObject } from '../../objects/object.ts';
import { PyClass } from '../../objects/class.ts';
import { typeName, types } from '../../objects/types.ts';
import type { PyIterator, Value } from '../../objects/object.ts';
import { call, catching, contains, getAttribute, items } from '../../objects/protocol.ts';
import { repr } from '../../text/repr.ts';

const chainMapClass = new PyClass('ChainMap', [types.object], { module: 'collections' });

/**
 * `collections.ChainMap`: several mappings seen as one. The first that has a key answers; changes
 * go to the first mapping.
 */
class ChainMap extends PyObject {
  readonly maps: PyList;

  constructor(maps: readonly Value[]) {
    super();
    this.maps = new PyList(maps.length === 0 ? [new PyDict()] : [...maps]);
  }
  get cls(): PyClass {
    return chainMapClass;
  }
  get first(): PyObject {
    const [first] = this.maps.items;
    return first instanceof PyObject ? first : raise('TypeError', 'ChainMap needs mappings');
  }
  /** All pairs as one dict, the keys of the last mapping first. */
  merged(): PyDict {
    const made = new PyDict();
    for (const map of [...this.maps.items].reverse()) fill(made, 'dict', [map], undefined);
    return made;
  }
  override repr(): string {
    return `ChainMap(${this.maps.items.map(repr).join(', ')})`;
  }
  override truthy(): boolean {
    return this.maps.items.some((map) => items(map).length > 0);
  }
  override length(): number {
    return this.merged().length();
  }
  override iterate(): PyIterator {
    return this.merged().iterate();
  }
  override contains(key: Value): boolean {
    return this.maps.items.some((map) => contains(map, key));
  }
  override item(key: Value): Value {
    for (const map of this.maps.items) {
      const found = catching(['KeyError'], () => getItem(map, key));
      if (found !== undefined) return found;
    }
    return keyError(key);
  }
  override setItem(key: Value, value: Value): void {
    this.first.setItem(key, value);
  }
  override deleteItem(key: Value): void {
    if (contains(this.first, key)) this.first.deleteItem(key);
    else {
      const text = `Key not found in the first mapping: ${repr(key)}`;
      throw new PyError('KeyError', [text], text);
    }
  }
  override equals(other: Value): Value | undefined {
    const theirs = other instanceof ChainMap ? other.merged() : other;
    return theirs instanceof PyDict ? this.merged().equals(theirs) : undefined;
  }
  override key(): never {
    return raise('TypeError', "unhashable type: 'ChainMap'");
  }
}
chainMapClass.create = (_cls, args) => new ChainMap(args);
defineGetters(chainMapClass, ChainMap, {
  maps: (self) => self.maps,
  parents: (self) => new ChainMap(self.maps.items.slice(1)),
});
defineMethods(chainMapClass, ChainMap, {
  'get(key, default=)': (self, key: Value, fallback) =>
    self.contains(key) ? self.item(key) : (fallback ?? null),
  'keys()': view('keys'),
  'values()': view('values'),
  'items()': view('items'),
  'new_child(m=)': (self, child) => new ChainMap([child ?? new PyDict(), ...self.maps.items]),
  'copy()': (self) =>
    new ChainMap([call(getAttribute(self.first, 'copy'), []), ...self.maps.items.slice(1)]),
  'update(other)': (self, other: Value) => call(getAttribute(self.first, 'update'), [other]),
  'setdefault(key, default=)': (self, key: Value, fallback) => {
    if (!self.contains(key)) self.setItem(key, fallback ?? null);
    return self.item(key);
  },
  'pop(key, default=)': (self, key: Value, fallback) => {
    if (!contains(self.first, key)) return fallback ?? (fallback === null ? null : keyError(key));
    const value = self.first.item(key);
    self.first.deleteItem(key);
    return value;
  },
});

export { chainMapClass };

function getItem(map: Value, key: Value): Value {
  return map instanceof PyObject
    ? map.item(key)
    : raise('TypeError', `'${typeName(map)}' object is not subscriptable`);
}

function view(name: string) {
  return (self: ChainMap): Value => call(getAttribute(self.merged(), name), []);
}
