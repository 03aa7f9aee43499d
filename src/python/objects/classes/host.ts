import { raise } from '../../errors.ts';
import { defineMethods } from './native.ts';
import type { NativeMethod } from './native.ts';
import { PyObject } from '../object.ts';
import { PyClass } from '../class.ts';
import { types } from '../types.ts';
import type { BinaryOp, Key, Kwargs, OrderOp, Protocol, PyIterator, Value } from '../object.ts';

/**
 * One attribute: `get` may return `undefined` for "not set", which raises AttributeError; without
 * `set` it is read-only.
 */
type HostAttribute<T> = {
  readonly get: (self: T) => Value | undefined;
  readonly set?: (self: T, value: Value) => void;
};

/**
 * What Python may see and do with objects of `T`. Nothing else exists; the key of a method is its
 * signature text.
 */
export type HostClassSpec<T> = {
  readonly name: string;
  readonly module?: string;
  /** Its base class, for `isinstance`. */
  readonly base?: PyClass;
  readonly attributes?: Readonly<Record<string, HostAttribute<T>>>;
  readonly methods?: Readonly<Record<string, NativeMethod<T>>>;
  /** Called for a name in no table; `undefined` raises AttributeError. */
  readonly fallback?: (self: T, name: string) => Value | undefined;
  readonly repr?: (self: T) => string;
  readonly str?: (self: T) => string;
  readonly truthy?: (self: T) => boolean;
  readonly equals?: (self: T, other: Value) => Value | undefined;
  readonly order?: (self: T, op: OrderOp, other: Value) => Value | undefined;
  readonly binary?: (self: T, op: BinaryOp, other: Value) => Value | undefined;
  readonly reflected?: (self: T, op: BinaryOp, other: Value) => Value | undefined;
  /** The key of its hash; without it, each object is itself. */
  readonly key?: (self: T) => Key;
  readonly iterate?: (self: T) => PyIterator;
  readonly length?: (self: T) => number;
  readonly item?: (self: T, key: Value) => Value;
  readonly contains?: (self: T, item: Value) => boolean;
  readonly call?: (self: T, args: readonly Value[], kwargs: Kwargs | undefined) => Value;
  /** Present when Python may call the class itself. */
  readonly construct?: (args: readonly Value[], kwargs: Kwargs | undefined) => T;
};

/** A class of host objects: `wrap` shows one to Python, `unwrap` returns it. */
export type HostClass<T> = {
  readonly cls: PyClass;
  wrap(target: T): PyObject;
  unwrap(value: Value): T | undefined;
};

/**
 * Exposes JavaScript objects to Python through an explicit table; their JavaScript properties are
 * unreachable. Each `wrap` makes a new Python object: wrap an object once if snippets may compare
 * it with `is`.
 */
export function defineClass<T>(spec: HostClassSpec<T>): HostClass<T> {
  const module = spec.module === undefined ? {} : { module: spec.module };
  const cls = new PyClass(spec.name, [spec.base ?? types.object], module);
  class Host extends HostObject<T> {
    readonly cls = cls;
    readonly spec = spec;
  }
  const isHost = (v: Value): v is Host => v instanceof Host;
  const bound: Record<string, NativeMethod<Host>> = {};
  for (const [text, impl] of Object.entries(spec.methods ?? {}))
    bound[text] = (self, ...args) => impl(self.target, ...args);
  defineMethods(cls, { is: isHost }, bound);
  const { construct } = spec;
  if (construct !== undefined)
    cls.create = (_cls, args, kwargs) => new Host(construct(args, kwargs));
  return {
    cls,
    wrap: (target) => new Host(target),
    unwrap: (value) => (value instanceof Host ? value.target : undefined),
  };
}

/** A host object as Python sees it: every protocol goes to the table of its class. */
abstract class HostObject<T> extends PyObject {
  readonly target: T;
  abstract readonly spec: HostClassSpec<T>;

  constructor(target: T) {
    super();
    this.target = target;
  }
  override supports(protocol: Protocol): boolean {
    return protocol !== 'setItem' && protocol !== 'deleteItem' && this.spec[protocol] !== undefined;
  }
  override attribute(name: string): Value | undefined {
    const { attributes, fallback } = this.spec;
    const found =
      attributes !== undefined && Object.hasOwn(attributes, name)
        ? attributes[name]?.get(this.target)
        : undefined;
    if (found !== undefined) return found;
    const method = super.attribute(name);
    return method === undefined ? fallback?.(this.target, name) : method;
  }
  override names(): readonly string[] {
    return Object.keys(this.spec.attributes ?? {});
  }
  override setAttribute(name: string, value: Value): void {
    const { attributes } = this.spec;
    const set =
      attributes !== undefined && Object.hasOwn(attributes, name)
        ? attributes[name]?.set
        : undefined;
    if (set === undefined)
      raise('AttributeError', `'${this.cls.told}' object attribute '${name}' cannot be set`);
    set(this.target, value);
  }
  override repr(): string {
    return this.spec.repr?.(this.target) ?? super.repr();
  }
  override str(): string {
    return this.spec.str?.(this.target) ?? this.repr();
  }
  override truthy(): boolean {
    return this.spec.truthy?.(this.target) ?? true;
  }
  override equals(other: Value): Value | undefined {
    return this.spec.equals?.(this.target, other) ?? super.equals(other);
  }
  override order(op: OrderOp, other: Value): Value | undefined {
    return this.spec.order?.(this.target, op, other);
  }
  override binary(op: BinaryOp, other: Value): Value | undefined {
    return this.spec.binary?.(this.target, op, other);
  }
  override reflected(op: BinaryOp, other: Value): Value | undefined {
    return this.spec.reflected?.(this.target, op, other);
  }
  override key(): Key {
    return this.spec.key?.(this.target) ?? super.key();
  }
  override iterate(): PyIterator {
    return this.spec.iterate?.(this.target) ?? super.iterate();
  }
  override length(): number {
    return this.spec.length?.(this.target) ?? super.length();
  }
  override item(key: Value): Value {
    const { item } = this.spec;
    return item === undefined ? super.item(key) : item(this.target, key);
  }
  override contains(item: Value): boolean | undefined {
    return this.spec.contains?.(this.target, item);
  }
  override call(args: readonly Value[], kwargs?: Kwargs): Value {
    const { call } = this.spec;
    return call === undefined ? super.call(args, kwargs) : call(this.target, args, kwargs);
  }
}
