import { PyObject, types } from './object.ts';
import type { PyClass, Value } from './object.ts';

/** A module: a name and a table of what it exports. */
export class PyModule extends PyObject {
  readonly name: string;
  readonly members: ReadonlyMap<string, Value>;

  constructor(name: string, members: Iterable<readonly [string, Value]>) {
    super();
    this.name = name;
    this.members = new Map(members);
  }
  get cls(): PyClass {
    return types.module;
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

/** A module from a table. */
export function moduleOf(name: string, members: Readonly<Record<string, Value>>): PyModule {
  return new PyModule(name, Object.entries(members));
}
