import { checkedForFunction, isGivenToFunctions } from '../../objects/classes/named-attributes.ts';
import { PyObject } from '../../objects/object.ts';
import type { Value } from '../../objects/object.ts';

/** An object that stands in for a function and may have its name and other attributes. */
export abstract class Wrapper extends PyObject {
  readonly #given = new Map<string, Value>();

  override readsSpecial(name: string): boolean {
    return this.#given.has(name);
  }
  override writesSpecial(name: string): boolean {
    return isGivenToFunctions(name);
  }
  override ownAttributes(): Iterable<readonly [string, Value]> {
    return this.#given;
  }
  override attribute(name: string): Value | undefined {
    return this.#given.get(name);
  }
  override setAttribute(name: string, value: Value): void {
    this.#given.set(name, checkedForFunction(name, value));
  }
}
