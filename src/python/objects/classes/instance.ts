import { raise } from '../../errors.ts';
import { tick } from '../../meter.ts';
import { Attributes } from './attributes.ts';
import { PyProperty } from './descriptors.ts';
import { hashMethod, instanceKey, ownHash } from './instance-key.ts';
import { NativeIterator } from '../collections/iterator.ts';
import { isGivenToFunctions } from './named-attributes.ts';
import { asFloat, asInt, notAnInteger } from '../numbers/number.ts';
import { PyIterator, PyObject } from '../object.ts';
import { typeName, types } from '../types.ts';
import type { BinaryOp, Key, Kwargs, OrderOp, Protocol, UnaryOp, Value } from '../object.ts';
import type { PyClass } from '../class.ts';
import { catching } from '../protocol.ts';

const OPERATORS: Readonly<Record<BinaryOp, string>> = {
  '+': 'add',
  '-': 'sub',
  '*': 'mul',
  '/': 'truediv',
  '//': 'floordiv',
  '%': 'mod',
  '**': 'pow',
  '@': 'matmul',
  '<<': 'lshift',
  '>>': 'rshift',
  '&': 'and',
  '|': 'or',
  '^': 'xor',
};
const ORDERS: Readonly<Record<OrderOp, string>> = {
  '<': '__lt__',
  '<=': '__le__',
  '>': '__gt__',
  '>=': '__ge__',
};
const UNARIES: Readonly<Record<UnaryOp, string>> = {
  '-': '__neg__',
  '+': '__pos__',
  '~': '__invert__',
};

const PROTOCOLS: Readonly<Record<Protocol, string>> = {
  length: '__len__',
  iterate: '__iter__',
  item: '__getitem__',
  setItem: '__setitem__',
  deleteItem: '__delitem__',
  contains: '__contains__',
  call: '__call__',
};

/** The result of an operator method that does not support the other operand. */
class NotImplementedValue extends PyObject {
  get cls(): PyClass {
    return types.NotImplementedType;
  }
  override repr(): string {
    return 'NotImplemented';
  }
}
export const notImplemented = new NotImplementedValue();

/**
 * An instance of a class: attributes in a map, operators through the special methods of the class.
 */
export class PyInstance extends PyObject {
  readonly cls: PyClass;
  readonly attributes = new Map<string, Value>();
  #variables: Attributes | undefined;

  constructor(cls: PyClass) {
    super();
    this.cls = cls;
  }

  override names(): readonly string[] {
    return [...this.attributes.keys()];
  }
  /**
   * Calls the method of an operator; `undefined` when the class has none
   * or it answers NotImplemented.
   */
  operator(name: string, ...args: Value[]): Value | undefined {
    const result = this.special(name, ...args);
    return result === notImplemented ? undefined : result;
  }
  /** Calls the special method `name`; `undefined` when the class has none. */
  special(name: string, ...args: Value[]): Value | undefined {
    const method = this.cls.lookupFor(this, name);
    if (!(method instanceof PyObject)) return undefined;
    return method.call(args);
  }

  nativeRepr(): string {
    return super.repr();
  }
  nativeStr(): string {
    return this.repr();
  }
  override repr(): string {
    return text(this.special('__repr__'), '__repr__') ?? this.nativeRepr();
  }
  override str(): string {
    return text(this.special('__str__'), '__str__') ?? this.nativeStr();
  }
  override format(spec: string): string {
    return text(this.special('__format__', spec), '__format__') ?? super.format(spec);
  }
  override truthy(): boolean {
    const answer = this.special('__bool__');
    if (answer === undefined) return this.special('__len__') === undefined || this.length() !== 0;
    return typeof answer === 'boolean'
      ? answer
      : raise('TypeError', `__bool__ should return bool, returned ${typeName(answer)}`);
  }
  override equals(other: Value): Value | undefined {
    const answer = this.operator('__eq__', other);
    return answer === undefined ? super.equals(other) : answer;
  }
  override unequal(other: Value): Value | undefined {
    if (this.cls.isUser) return this.operator('__ne__', other) ?? super.unequal(other);
    return super.unequal(other);
  }
  override order(op: OrderOp, other: Value): Value | undefined {
    return this.operator(ORDERS[op], other);
  }
  /** Whether its class uses the `__hash__` of `object`. */
  get hashesByIdentity(): boolean {
    return hashMethod(this.cls) === 'identity';
  }
  override key(): Key {
    return instanceKey(this);
  }
  override ownsHash(): boolean {
    return hashMethod(this.cls) === 'own';
  }
  override steadyHash(): bigint | undefined {
    const own = this.ownsHash() ? ownHash(this) : undefined;
    return own === undefined ? undefined : BigInt.asIntN(61, BigInt(own));
  }
  override index(): number | bigint | undefined {
    const answer = this.special('__index__');
    if (answer === undefined) return undefined;
    return (
      asInt(answer) ?? raise('TypeError', `__index__ returned non-int (type ${typeName(answer)})`)
    );
  }
  override real(): number | undefined {
    const answer = this.special('__float__');
    if (answer === undefined) return undefined;
    return (
      asFloat(answer) ??
      raise('TypeError', `${this.cls.name}.__float__ returned non-float (type ${typeName(answer)})`)
    );
  }
  override call(args: readonly Value[], kwargs?: Kwargs): Value {
    const method = this.cls.lookupFor(this, '__call__');
    return method instanceof PyObject ? method.call(args, kwargs) : super.call(args, kwargs);
  }
  override iterate(): PyIterator {
    const made = this.special('__iter__');
    if (made === undefined)
      return this.cls.lookup('__getitem__') === undefined ? super.iterate() : this.#byItems();
    if (made instanceof PyIterator) return made;
    if (made instanceof PyInstance && made.cls.lookup('__next__') !== undefined)
      return new SpecialIterator(made);
    return raise('TypeError', `iter() returned non-iterator of type '${typeName(made)}'`);
  }
  /** The old protocol: `o[0]`, `o[1]`, ... until IndexError. */
  #byItems(): PyIterator {
    let at = 0;
    return new NativeIterator('iterator', () => {
      tick(1);
      const item = catching(['IndexError'], () => this.item(at));
      at += 1;
      return item;
    });
  }
  override length(): number {
    const length = this.special('__len__');
    if (length === undefined) return super.length();
    const n = asInt(length);
    if (typeof n !== 'number') return notAnInteger(length);
    return n >= 0 ? n : raise('ValueError', '__len__() should return >= 0');
  }
  override item(key: Value): Value {
    const found = this.special('__getitem__', key);
    return found === undefined ? super.item(key) : found;
  }
  override setItem(key: Value, value: Value): void {
    if (this.special('__setitem__', key, value) === undefined) super.setItem(key, value);
  }
  override deleteItem(key: Value): void {
    if (this.special('__delitem__', key) === undefined) super.deleteItem(key);
  }
  override contains(item: Value): boolean | undefined {
    const answer = this.special('__contains__', item);
    return answer === undefined ? undefined : answer !== null && answer !== false && answer !== 0;
  }
  override binary(op: BinaryOp, right: Value): Value | undefined {
    return this.operator(`__${OPERATORS[op]}__`, right);
  }
  override reflected(op: BinaryOp, left: Value): Value | undefined {
    return this.operator(`__r${OPERATORS[op]}__`, left);
  }
  override inplace(op: BinaryOp, right: Value): Value | undefined {
    return this.operator(`__i${OPERATORS[op]}__`, right);
  }
  override unary(op: UnaryOp): Value | undefined {
    return this.special(UNARIES[op]);
  }

  override supports(protocol: Protocol): boolean {
    return this.cls.lookup(PROTOCOLS[protocol]) !== undefined;
  }
  override readsSpecial(name: string): boolean {
    const isOwn = name === '__class__' || name === '__dict__' || this.attributes.has(name);
    return this.cls.definesSpecial(name) || (this.cls.isUser && isOwn);
  }
  override writesSpecial(name: string): boolean {
    return this.cls.isUser && isGivenToFunctions(name);
  }
  override ownAttributes(): Iterable<readonly [string, Value]> {
    return this.attributes;
  }
  override attribute(name: string): Value | undefined {
    const own = this.attributes.get(name);
    if (own !== undefined && !isDataDescriptor(this.cls.lookup(name))) return own;
    if (name === '__class__') return this.cls;
    if (name === '__dict__') return this.cls.slots === undefined ? this.variables() : undefined;
    if (!this.cls.definesSpecial('__getattr__')) return super.attribute(name);
    const found = catching(['AttributeError'], () => super.attribute(name));
    return found === undefined ? this.special('__getattr__', name) : found;
  }
  override setAttribute(name: string, value: Value): void {
    if (this.special('__setattr__', name, value) === undefined) this.store(name, value);
  }
  override deleteAttribute(name: string): void {
    if (this.special('__delattr__', name) === undefined) this.remove(name);
  }
  /** Sets an attribute as `object.__setattr__` does. @throws AttributeError */
  store(name: string, value: Value): void {
    const found = this.cls.lookup(name);
    if (found instanceof PyProperty) return found.set(this, name, value);
    if (found instanceof PyInstance && found.special('__set__', this, value) !== undefined)
      return undefined;
    if (this.cls.slots?.has(name) === false || this.cls === types.object)
      super.setAttribute(name, value);
    this.attributes.set(name, value);
    this.#variables?.show(name, value);
    return undefined;
  }
  /** `vars(self)`: always the same dict. */
  variables(): Attributes {
    this.#variables ??= new Attributes(this.attributes);
    return this.#variables;
  }
  /** Removes an attribute as `object.__delattr__` does. @throws AttributeError */
  remove(name: string): void {
    const found = this.cls.lookup(name);
    if (found instanceof PyProperty) found.delete(this, name);
    else if (found instanceof PyInstance && found.special('__delete__', this) !== undefined) return;
    else if (!this.attributes.delete(name)) super.deleteAttribute(name);
    this.#variables?.show(name, undefined);
  }
  /** As the attribute of a class: the result of its `__get__`, or itself. */
  override describe(self: Value, cls: PyClass): Value {
    const given = this.cls.isUser ? this.special('__get__', self, cls) : undefined;
    return given === undefined ? this : given;
  }
}

/** An instance with `__next__` as an iterator. */
class SpecialIterator extends PyIterator {
  readonly #instance: PyInstance;

  constructor(instance: PyInstance) {
    super();
    this.#instance = instance;
  }
  get cls(): PyClass {
    return this.#instance.cls;
  }
  next(): Value | undefined {
    return catching(['StopIteration'], () => this.#instance.special('__next__'));
  }
}

types.object.create = (cls, args, kwargs) => {
  if (cls.lookup('__init__') === undefined && (args.length > 0 || (kwargs?.size ?? 0) > 0)) {
    raise('TypeError', `${cls.name}() takes no arguments`);
  }
  if (cls.abstract.length > 0) {
    const told = `abstract method${cls.abstract.length === 1 ? '' : 's'} ${cls.abstract.join(', ')}`;
    raise('TypeError', `Can't instantiate abstract class ${cls.name} with ${told}`);
  }
  return new PyInstance(cls);
};

/** Whether a class attribute takes precedence over the instance's: it has `__set__`. */
function isDataDescriptor(found: Value | undefined): boolean {
  return (
    found instanceof PyInstance && found.cls.isUser && found.cls.lookup('__set__') !== undefined
  );
}

function text(result: Value | undefined, method: string): string | undefined {
  if (result === undefined || typeof result === 'string') return result;
  const type = typeName(result);
  return raise(
    'TypeError',
    method === '__format__'
      ? `__format__ must return a str, not ${type}`
      : `${method} returned non-string (type ${type})`,
  );
}
