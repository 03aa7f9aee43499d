import { raise } from '../../errors.ts';
import { tick } from '../../meter.ts';
import { PyObject } from '../object.ts';
import { typeName, types } from '../types.ts';
import type { Kwargs, Value } from '../object.ts';
import type { PyClass } from '../class.ts';

/**
 * Parameters of a built-in in Python's notation: `x, /, sep=, *, key=`. `=` marks optional ones.
 */
type Signature = {
  readonly names: readonly string[];
  readonly required: number;
  /** Parameters before this index are positional only. */
  readonly keywordFrom: number;
  /** Parameters from this index on are keyword only. */
  readonly positional: number;
};

/**
 * The computation of a built-in; a missing argument is `undefined`. Method syntax lets each entry
 * type its own arguments.
 */
type Native = { impl(...args: (Value | undefined)[]): Value }['impl'];
/** A built-in that reads its arguments itself (`print`, `dict`, `max`). */
type Variadic = (args: readonly Value[], kwargs: Kwargs | undefined) => Value;

type Parsed = { readonly name: string; readonly signature: Signature };
/** All signatures are texts of this program, some thousand at most. */
const parsed = new Map<string, Parsed>();

/** A built-in function. */
export class PyBuiltin extends PyObject {
  readonly name: string;
  /** Class of the object it is bound to, when it is a method. */
  readonly of: string | undefined;
  readonly #invoke: Variadic;

  constructor(name: string, invoke: Variadic, of?: string) {
    super();
    this.name = name;
    this.of = of;
    this.#invoke = invoke;
  }
  get cls(): PyClass {
    return types.builtin;
  }
  override repr(): string {
    return this.of === undefined
      ? `<built-in function ${this.name}>`
      : `<built-in method ${this.name} of ${this.of} object>`;
  }
  override attribute(name: string): Value | undefined {
    return name === '__name__' ? this.name : undefined;
  }
  override call(args: readonly Value[], kwargs?: Kwargs): Value {
    return this.#invoke(args, kwargs);
  }
}

/** A built-in function from its signature text: `nativeFunction('len(obj, /)', (obj) => ...)`. */
export function nativeFunction(text: string, impl: Native): PyBuiltin {
  const { name, signature } = parseSignature(text);
  return new PyBuiltin(name, (args, kwargs) => impl(...bind(name, name, signature, args, kwargs)));
}

/** A method in the table of a class; binds to the instance it is looked up on. */
class PyMethod extends PyObject {
  readonly name: string;
  readonly owner: PyClass;
  readonly invoke: (self: Value, args: readonly Value[], kwargs: Kwargs | undefined) => Value;

  constructor(name: string, owner: PyClass, invoke: PyMethod['invoke']) {
    super();
    this.name = name;
    this.owner = owner;
    this.invoke = invoke;
  }
  get cls(): PyClass {
    return types.method;
  }
  override repr(): string {
    return `<method '${this.name}' of '${this.owner.name}' objects>`;
  }
  override describe(self: Value): Value {
    if (self === null && this.owner !== types.NoneType) return this;
    return new PyBuiltin(
      this.name,
      (args, kwargs) => this.invoke(self, args, kwargs),
      typeName(self),
    );
  }
  override attribute(name: string): Value | undefined {
    return name === '__name__' ? this.name : undefined;
  }
  override call(args: readonly Value[], kwargs?: Kwargs): Value {
    const [self, ...rest] = args;
    if (self === undefined)
      raise('TypeError', `unbound method ${this.owner.name}.${this.name}() needs an argument`);
    return this.invoke(self, rest, kwargs);
  }
}

/** A computed attribute in the table of a class. */
class PyGetter extends PyObject {
  readonly #get: (self: Value) => Value;
  readonly #text: string;

  constructor(name: string, owner: PyClass, get: (self: Value) => Value) {
    super();
    this.#get = get;
    this.#text = `<attribute '${name}' of '${owner.name}' objects>`;
  }
  get cls(): PyClass {
    return types.property;
  }
  override repr(): string {
    return this.#text;
  }
  override describe(self: Value): Value {
    return self === null ? this : this.#get(self);
  }
}

type Guard<T extends Value> = (v: Value) => v is T;
/** What `self` of a method must be: of a JavaScript class, or what a guard says. */
type SelfKind<T extends Value> = (abstract new (...args: never) => T) | { readonly is: Guard<T> };
/** A method of a built-in class: `self` has passed the guard of the class. */
export type NativeMethod<T> = { impl(self: T, ...args: (Value | undefined)[]): Value }['impl'];

/**
 * Adds methods to a class, each under its signature text: `{ 'join(iterable, /)': (self, iterable)
 * => ... }`. Every method of a string pays for the string's length, since almost all read it.
 */
export function defineMethods<T extends Value>(
  cls: PyClass,
  kind: SelfKind<T>,
  table: Record<string, NativeMethod<T>>,
): void {
  for (const [text, impl] of Object.entries(table)) {
    const { name, signature } = parseSignature(text);
    const label = `${cls.name}.${name}`;
    const invoke: PyMethod['invoke'] = (self, args, kwargs) => {
      if (typeof self === 'string') tick(self.length >> 6);
      return impl(checked(cls, kind, name, self), ...bind(name, label, signature, args, kwargs));
    };
    cls.dict.set(name, new PyMethod(name, cls, invoke));
  }
}

/** Adds a method that reads its arguments itself. */
export function defineVariadic<T extends Value>(
  cls: PyClass,
  kind: SelfKind<T>,
  name: string,
  impl: (self: T, args: readonly Value[], kwargs: Kwargs | undefined) => Value,
): void {
  cls.dict.set(
    name,
    new PyMethod(name, cls, (self, args, kwargs) =>
      impl(checked(cls, kind, name, self), args, kwargs),
    ),
  );
}

/** Adds computed attributes to a class. */
export function defineGetters<T extends Value>(
  cls: PyClass,
  kind: SelfKind<T>,
  table: Record<string, (self: T) => Value>,
): void {
  for (const [name, get] of Object.entries(table)) {
    cls.dict.set(name, new PyGetter(name, cls, (self) => get(checked(cls, kind, name, self))));
  }
}

/** Adds a class method (`dict.fromkeys`, `datetime.now`). */
export function defineClassMethod(cls: PyClass, text: string, impl: NativeMethod<PyClass>): void {
  const { name, signature } = parseSignature(text);
  cls.dict.set(
    name,
    new ClassMethod(
      (owner) =>
        new PyBuiltin(
          name,
          (args, kwargs) =>
            impl(owner, ...bind(name, `${cls.name}.${name}`, signature, args, kwargs)),
          'type',
        ),
    ),
  );
}

class ClassMethod extends PyObject {
  readonly #bind: (owner: PyClass) => Value;

  constructor(bindTo: (owner: PyClass) => Value) {
    super();
    this.#bind = bindTo;
  }
  get cls(): PyClass {
    return types.classmethod;
  }
  override describe(_self: Value, owner: PyClass): Value {
    return this.#bind(owner);
  }
}

/** Reads `name(parameters)`. */
function parseSignature(text: string): Parsed {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  const read = readSignature(text);
  parsed.set(text, read);
  return read;
}

function readSignature(text: string): Parsed {
  const open = text.indexOf('(');
  const parts = text
    .slice(open + 1, -1)
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const slash = parts.indexOf('/');
  const star = parts.filter((part) => part !== '/').indexOf('*');
  const params = parts.filter((part) => part !== '/' && part !== '*');
  const firstOptional = params.findIndex((part) => part.endsWith('='));
  const signature = {
    names: params.map((part) => part.replace('=', '')),
    required: firstOptional < 0 ? params.length : firstOptional,
    keywordFrom: Math.max(slash, 0),
    positional: star < 0 ? params.length : star,
  };
  return { name: text.slice(0, open), signature };
}

function bind(
  name: string,
  label: string,
  signature: Signature,
  args: readonly Value[],
  kwargs: Kwargs | undefined,
): readonly (Value | undefined)[] {
  // Most calls: no keywords, all required arguments there, nothing to copy.
  if (
    kwargs === undefined &&
    args.length >= signature.required &&
    args.length <= signature.positional
  )
    return args;
  const bound: (Value | undefined)[] = [...args];
  if (args.length > signature.positional) wrongCount(name, label, signature, args.length);
  kwargs?.forEach((value, key) => {
    const at = signature.names.indexOf(key);
    if (signature.keywordFrom >= signature.names.length)
      raise('TypeError', `${label}() takes no keyword arguments`);
    if (at < signature.keywordFrom)
      raise('TypeError', `'${key}' is an invalid keyword argument for ${name}()`);
    if (bound[at] !== undefined)
      raise(
        'TypeError',
        `argument for ${name}() given by name ('${key}') and position (${at + 1})`,
      );
    bound[at] = value;
  });
  for (let i = 0; i < signature.required; i += 1)
    if (bound[i] === undefined) wrongCount(name, label, signature, args.length);
  return bound;
}

function wrongCount(
  name: string,
  label: string,
  { names, required, keywordFrom, positional }: Signature,
  given: number,
): never {
  if (names.length === 0) raise('TypeError', `${label}() takes no arguments (${given} given)`);
  if (positional === 0) raise('TypeError', `${name}() takes no positional arguments`);
  if (required === 1 && names.length === 1 && keywordFrom === 1) {
    raise('TypeError', `${label}() takes exactly one argument (${given} given)`);
  }
  if (given > positional && keywordFrom < positional) {
    raise('TypeError', `${name}() takes at most ${plural(positional)} (${given} given)`);
  }
  if (keywordFrom < positional)
    raise(
      'TypeError',
      `${name}() missing required argument '${names[given] ?? ''}' (pos ${given + 1})`,
    );
  const [bound, limit] = given < required ? ['at least', required] : ['at most', positional];
  raise(
    'TypeError',
    `${name} expected ${required === positional ? '' : `${bound} `}${plural(limit)}, got ${given}`,
  );
}

function plural(n: number): string {
  return `${n} argument${n === 1 ? '' : 's'}`;
}

function checked<T extends Value>(cls: PyClass, kind: SelfKind<T>, name: string, self: Value): T {
  if ('is' in kind) {
    if (kind.is(self)) return self;
  } else if (self instanceof kind) return self;
  return raise(
    'TypeError',
    `descriptor '${name}' for '${cls.name}' objects doesn't apply to a '${typeName(self)}' object`,
  );
}
