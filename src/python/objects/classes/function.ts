import { raise } from '../../errors.ts';
import { PyDict } from '../collections/dict.ts';
import { checkedForFunction, isGivenToFunctions } from './named-attributes.ts';
import { PyObject } from '../object.ts';
import { types } from '../types.ts';
import type { Kwargs, Value } from '../object.ts';
import type { PyClass } from '../class.ts';
import { PyTuple } from '../collections/tuple.ts';

/** The parameter list of a `def` or `lambda`. */
export type FunctionParameters = {
  /** Positional parameters, then keyword-only ones. */
  readonly names: readonly string[];
  readonly positionalOnly: number;
  readonly positional: number;
  readonly star: boolean;
  readonly doubleStar: boolean;
};

/**
 * The JavaScript function emitted for a body: one argument per parameter, then
 * `*args` and `**kwargs` if there are.
 */
export type FunctionBody = (...args: Value[]) => Value;

/** A function defined by a snippet. */
export class PyFunction extends PyObject {
  readonly name: string;
  readonly #definedAs: string;
  readonly #parameters: FunctionParameters;
  readonly #defaults: ReadonlyMap<string, Value>;
  readonly #body: FunctionBody;
  readonly #attributes = new Map<string, Value>();
  readonly #doc: string | undefined;

  constructor(
    qualifiedName: string,
    parameters: FunctionParameters,
    defaults: ReadonlyMap<string, Value>,
    body: FunctionBody,
    doc?: string,
  ) {
    super();
    this.name = qualifiedName.slice(qualifiedName.lastIndexOf('.') + 1);
    this.#definedAs = qualifiedName;
    this.#parameters = parameters;
    this.#defaults = defaults;
    this.#body = body;
    this.#doc = doc;
  }
  get cls(): PyClass {
    return types.function;
  }
  /** With the definitions around it, or the name that a wrapper has set. */
  get qualifiedName(): string {
    const given = this.#attributes.get('__qualname__');
    return typeof given === 'string' ? given : this.#definedAs;
  }
  override repr(): string {
    return `<function ${this.qualifiedName}>`;
  }
  override describe(self: Value): Value {
    return self === null ? this : new PyBoundMethod(self, this);
  }
  override attribute(name: string): Value | undefined {
    const own = this.#attributes.get(name);
    if (own !== undefined) return own;
    if (name === '__name__') return this.name;
    if (name === '__doc__') return this.#doc ?? null;
    return name === '__qualname__' ? this.qualifiedName : undefined;
  }
  override readsSpecial(name: string): boolean {
    return this.#attributes.has(name);
  }
  override writesSpecial(name: string): boolean {
    return isGivenToFunctions(name);
  }
  override ownAttributes(): Iterable<readonly [string, Value]> {
    return this.#attributes;
  }
  override setAttribute(name: string, value: Value): void {
    this.#attributes.set(name, checkedForFunction(name, value));
  }
  override deleteAttribute(name: string): void {
    if (!this.#attributes.delete(name)) super.deleteAttribute(name);
  }
  override call(args: readonly Value[], kwargs?: Kwargs): Value {
    const { names, star, doubleStar } = this.#parameters;
    const simple = !star && !doubleStar && kwargs === undefined && args.length === names.length;
    return simple && args.length === this.#parameters.positional
      ? this.#body(...args)
      : this.#body(...this.#bind(args, kwargs));
  }

  #bind(args: readonly Value[], kwargs: Kwargs | undefined): Value[] {
    const { names, positional, positionalOnly, star, doubleStar } = this.#parameters;
    const bound: (Value | undefined)[] = args.slice(0, positional);
    const extra = new Map<string, Value>();
    for (const [key, value] of kwargs ?? []) {
      const at = names.indexOf(key);
      if (at < positionalOnly) {
        if (!doubleStar) this.#unexpected(key, at >= 0);
        extra.set(key, value);
      } else {
        if (bound[at] !== undefined)
          raise('TypeError', `${this.qualifiedName}() got multiple values for argument '${key}'`);
        bound[at] = value;
      }
    }
    if (args.length > positional && !star)
      this.#tooMany(args.length, bound.slice(positional).filter((v) => v !== undefined).length);
    const given = names.map(
      (name, i) => bound[i] ?? (bound[i] === null ? null : this.#defaults.get(name)),
    );
    this.#checkMissing(given);
    const values = given.filter((v) => v !== undefined);
    if (star) values.push(new PyTuple(args.slice(positional)));
    if (doubleStar) values.push(new PyDict(extra));
    return values;
  }
  #unexpected(key: string, positionalOnly: boolean): never {
    const problem = positionalOnly
      ? `got some positional-only arguments passed as keyword arguments: '${key}'`
      : `got an unexpected keyword argument '${key}'`;
    return raise('TypeError', `${this.qualifiedName}() ${problem}`);
  }
  #tooMany(given: number, keywordOnly: number): never {
    const { names, positional } = this.#parameters;
    const optional = names.slice(0, positional).filter((name) => this.#defaults.has(name)).length;
    const takes = optional > 0 ? `from ${positional - optional} to ${positional}` : `${positional}`;
    const noun = `positional argument${positional === 1 && optional === 0 ? '' : 's'}`;
    const extra =
      keywordOnly > 0
        ? ` positional argument${given === 1 ? '' : 's'}` +
          ` (and ${keywordOnly} keyword-only argument${keywordOnly === 1 ? '' : 's'})`
        : '';
    const were = given === 1 && keywordOnly === 0 ? 'was' : 'were';
    return raise(
      'TypeError',
      `${this.qualifiedName}() takes ${takes} ${noun} but ${given}${extra} ${were} given`,
    );
  }
  #checkMissing(given: readonly (Value | undefined)[]): void {
    const { names, positional } = this.#parameters;
    const absent = names.filter((_, i) => given[i] === undefined);
    if (absent.length === 0) return;
    const first = absent.filter((name) => names.indexOf(name) < positional);
    const list = first.length > 0 ? first : absent;
    const kind = first.length > 0 ? 'positional' : 'keyword-only';
    const noun = `required ${kind} argument${list.length === 1 ? '' : 's'}`;
    raise('TypeError', `${this.qualifiedName}() missing ${list.length} ${noun}: ${listed(list)}`);
  }
}

/** A function looked up on an instance. */
export class PyBoundMethod extends PyObject {
  readonly self: Value;
  readonly function: PyObject;

  constructor(self: Value, fn: PyObject) {
    super();
    this.self = self;
    this.function = fn;
  }
  get cls(): PyClass {
    return types.method;
  }
  override repr(): string {
    return `<bound method ${this.function instanceof PyFunction ? this.function.qualifiedName : '?'}>`;
  }
  override attribute(name: string): Value | undefined {
    return this.function.attribute(name);
  }
  override readsSpecial(name: string): boolean {
    return this.function.readsSpecial(name);
  }
  override equals(other: Value): Value | undefined {
    return other instanceof PyBoundMethod
      ? other.self === this.self && other.function === this.function
      : undefined;
  }
  override call(args: readonly Value[], kwargs?: Kwargs): Value {
    return this.function.call([this.self, ...args], kwargs);
  }
}

function listed(names: readonly string[]): string {
  const quoted = names.map((name) => `'${name}'`);
  if (quoted.length < 3) return quoted.join(' and ');
  return `${quoted.slice(0, -1).join(', ')}, and ${quoted.at(-1) ?? ''}`;
}
