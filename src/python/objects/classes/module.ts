import { PyObject } from '../object.ts';
import { types } from '../types.ts';
import type { Value } from '../object.ts';
import type { PyClass } from '../class.ts';

type Members = Iterable<readonly [string, Value]>;

/** A module: a name and a table of what it exports. */
export class PyModule extends PyObject {
  readonly name: string;
  #make: (() => Members) | undefined;
  #members: ReadonlyMap<string, Value> = new Map();

  /** @param members its exports, or a function that makes them on first use */
  constructor(name: string, members: Members | (() => Members)) {
    super();
    this.name = name;
    if (typeof members === 'function') this.#make = members;
    else this.#members = new Map(members);
  }
  get cls(): PyClass {
    return types.module;
  }
  get members(): ReadonlyMap<string, Value> {
    const make = this.#make;
    if (make !== undefined) {
      this.#make = undefined;
      this.#members = new Map(make());
    }
    return this.#members;
  }
  override repr(): string {
    return `<module '${this.name}'>`;
  }
  override names(): readonly string[] {
    return [...this.members.keys()];
  }
  override title(): string {
    return `module '${this.name}'`;
  }
  override attribute(name: string): Value | undefined {
    return name === '__name__' ? this.name : this.members.get(name);
  }
}

type Table = Readonly<Record<string, Value>>;

/** A module from a table, or from a function that makes the table on first use. */
export function moduleOf(name: string, members: Table | (() => Table)): PyModule {
  return new PyModule(
    name,
    typeof members === 'function' ? () => Object.entries(members()) : Object.entries(members),
  );
}
