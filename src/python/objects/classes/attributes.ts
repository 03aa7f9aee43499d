import { PyDict } from '../collections/dict.ts';
import type { Value } from '../object.ts';

/** `vars(o)` and `o.__dict__`: changes apply to the object. */
export class Attributes extends PyDict {
  readonly #of: Map<string, Value>;

  constructor(of: Map<string, Value>) {
    super();
    this.#of = of;
    for (const [name, value] of of) this.show(name, value);
  }
  /** Shows a change that the object itself made. */
  show(name: string, value: Value | undefined): void {
    if (value === undefined) super.delete(name);
    else super.set(name, value);
  }
  override set(key: Value, value: Value): void {
    super.set(key, value);
    if (typeof key === 'string') this.#of.set(key, value);
  }
  override delete(key: Value): Value | undefined {
    if (typeof key === 'string') this.#of.delete(key);
    return super.delete(key);
  }
}
