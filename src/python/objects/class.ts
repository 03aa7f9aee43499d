import { raise } from '../errors.ts';
import { PyObject } from './object.ts';
import type { BinaryOp, Kwargs, Value } from './object.ts';

/** Where a class body finds its class, for `super()`. */
export type Cell = { cls: PyClass | undefined };

/** The names of a class: its own, the one with the definitions around it, and its module. */
export type ClassName = {
  readonly name: string;
  readonly qualifiedName: string;
  readonly module?: Value;
};

/** A `class` statement. `options` are its keywords. */
export type ClassDefinition = {
  readonly named: ClassName;
  readonly bases: readonly Value[];
  readonly body: (cell: Cell) => readonly (readonly [string, Value | undefined])[];
  readonly options: Kwargs;
};

type Generic = {
  union(left: Value, right: Value): Value | undefined;
  alias(origin: PyClass, parameters: Value): Value;
};
const generic: Generic = { union: () => undefined, alias: (origin) => origin };

/** Registers `int | None` and `list[int]`, which are objects themselves (classes/generic.ts). */
export function onGeneric(how: Generic): void {
  Object.assign(generic, how);
}

/** Makes the bare instance of a class, before `__init__`. */
type Create = (cls: PyClass, args: readonly Value[], kwargs?: Kwargs) => Value;

/**
 * A class. `dict` is the explicit table of what its instances have; JavaScript properties are never
 * looked up.
 */
export class PyClass extends PyObject {
  readonly name: string;
  readonly mro: readonly PyClass[];
  readonly bases: readonly PyClass[];
  readonly dict = new Map<string, Value>();
  /** Names that the class body annotates, in order: the fields of a data class. */
  annotated: readonly string[] = [];
  /**
   * Special methods that can be read from the class itself, besides those that a snippet defines.
   */
  specials: ((name: string) => Value | undefined) | undefined;
  /** The only names its instances may set (`__slots__`); `undefined` for any. */
  slots: ReadonlySet<string> | undefined;
  /** Names of its abstract methods: while it has any, it makes no instances. */
  abstract: readonly string[] = [];
  /** Dotted name with its module, as `repr` shows it. */
  readonly label: string;
  /** Its name in error texts (`tp_name`): with the module for classes that CPython has in C. */
  readonly told: string;
  readonly qualifiedName: string;
  /** How a `class` statement extends it, for classes with their own way. */
  extended: ((definition: ClassDefinition) => PyClass) | undefined;
  create: Create;
  /** Whether a call accepts arguments by name. */
  takesKeywords = true;
  /** Whether a snippet defines it: operators then look up its special methods. */
  readonly isUser: boolean;

  constructor(
    name: string,
    bases: readonly PyClass[],
    options: { module?: string; qualifiedName?: string; create?: Create; isUser?: boolean } = {},
  ) {
    super();
    this.name = name;
    this.qualifiedName = options.qualifiedName ?? name;
    const isPlain =
      options.module === undefined || (options.isUser === true && options.module === 'builtins');
    this.label = isPlain ? this.qualifiedName : `${options.module ?? ''}.${this.qualifiedName}`;
    this.told = IN_C.test(this.label) ? this.label : name;
    this.bases = bases;
    this.mro = [this, ...ancestors(name, bases)];
    this.isUser = options.isUser ?? false;
    this.create =
      options.create ??
      bases[0]?.create ??
      ((cls) => raise('TypeError', `cannot create '${cls.name}' instances`));
  }

  get cls(): PyClass {
    return classOfClasses;
  }
  override repr(): string {
    return `<class '${this.label}'>`;
  }
  override title(): string {
    return `type object '${this.name}'`;
  }
  isSubclassOf(other: PyClass): boolean {
    return this.mro.includes(other);
  }
  /** The entry of the first class in resolution order that has one. */
  lookup(name: string): Value | undefined {
    for (const cls of this.mro) {
      const found = cls.dict.get(name);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  /** The attribute `name` of an instance, bound to it. */
  lookupFor(self: Value, name: string): Value | undefined {
    const found = this.lookup(name);
    return found instanceof PyObject ? found.describe(self, this) : found;
  }
  override attribute(name: string): Value | undefined {
    if (name === '__name__') return this.name;
    if (name === '__qualname__') return this.qualifiedName;
    const found = this.lookup(name);
    return found instanceof PyObject
      ? found.describe(null, this)
      : (found ?? (found === null ? null : this.specials?.(name)));
  }
  /** Whether a snippet's class among its ancestors defines this name. */
  definesSpecial(name: string): boolean {
    return this.mro.some((cls) => cls.isUser && cls.dict.has(name));
  }
  override readsSpecial(name: string): boolean {
    return this.specials?.(name) !== undefined || this.definesSpecial(name);
  }
  override setAttribute(name: string, value: Value): void {
    if (!this.isUser)
      raise('TypeError', `cannot set '${name}' attribute of immutable type '${this.name}'`);
    this.dict.set(name, value);
  }
  override deleteAttribute(name: string): void {
    if (!this.isUser || !this.dict.delete(name))
      raise('AttributeError', `type object '${this.name}' has no attribute '${name}'`);
  }
  override call(args: readonly Value[], kwargs?: Kwargs): Value {
    if (kwargs !== undefined && kwargs.size > 0 && !this.takesKeywords)
      raise('TypeError', `${this.name}() takes no keyword arguments`);
    const maker = this.isUser ? this.lookupFor(null, '__new__') : undefined;
    const made =
      maker instanceof PyObject
        ? maker.call([this, ...args], kwargs)
        : this.create(this, args, kwargs);
    const init =
      this.isUser && made instanceof PyObject && made.cls.isSubclassOf(this)
        ? this.lookupFor(made, '__init__')
        : undefined;
    if (init instanceof PyObject && init.call(args, kwargs) !== null)
      raise('TypeError', '__init__() should return None');
    return made;
  }
  /** `list[int]` of annotations: the parameters have no effect at run time. */
  override item(key: Value): Value {
    const own = this.isUser ? this.lookupFor(null, '__class_getitem__') : undefined;
    if (own instanceof PyObject) return own.call([key]);
    return this.isUser || !subscriptable.has(this.name)
      ? raise('TypeError', `type '${this.told}' is not subscriptable`)
      : generic.alias(this, key);
  }
  override binary(op: BinaryOp, right: Value): Value | undefined {
    return op === '|' ? generic.union(this, right) : undefined;
  }
  override reflected(op: BinaryOp, left: Value): Value | undefined {
    return op === '|' ? generic.union(left, this) : undefined;
  }
}

const subscriptable = new Set([
  'list',
  'dict',
  'tuple',
  'set',
  'frozenset',
  'type',
  'defaultdict',
  'deque',
  'Counter',
  'OrderedDict',
  'ChainMap',
  'Pattern',
  'Match',
  'chain',
  'partial',
  'enumerate',
]);

const IN_C =
  /^(?:datetime|itertools|functools|re|collections|decimal(?=\.Decimal$|\.Context$))\.(?!Counter$|ChainMap$|K$)/;

/** `object`, which all classes extend. */
export const objectClass = new PyClass('object', [], {
  create: (cls) => raise('TypeError', `cannot create '${cls.name}' instances`),
});
/** `type`, the class of classes. */
export const classOfClasses = new PyClass('type', [objectClass]);

/** Python's C3 linearisation of the base classes. @throws TypeError when there is none */
function ancestors(name: string, bases: readonly PyClass[]): PyClass[] {
  let queues = [...bases.map((base) => [...base.mro]), [...bases]];
  const order: PyClass[] = [];
  for (;;) {
    queues = queues.filter((queue) => queue.length > 0);
    if (queues.length === 0) return order;
    const next = queues
      .map((queue) => queue[0])
      .find((head) => !queues.some((q) => head !== undefined && q.indexOf(head) > 0));
    if (next === undefined) {
      return raise(
        'TypeError',
        `Cannot create a consistent method resolution order (MRO) for bases of '${name}'`,
      );
    }
    order.push(next);
    queues = queues.map((queue) => (queue[0] === next ? queue.slice(1) : queue));
  }
}
