import { PyError, raise } from '../errors.ts';
import { frame, tick } from '../frame.ts';
import { chained, raising } from '../objects/exceptions.ts';
import { PyBoundMethod, PyFunction } from '../objects/function.ts';
import { PyGenerator } from '../objects/generator.ts';
import { moduleOf } from '../objects/module.ts';
import { defineMethods, defineVariadic, nativeFunction, PyBuiltin } from '../objects/native.ts';
import { PyClass, PyIterator, PyObject, typeName, typeOf, types } from '../objects/object.ts';
import type { Kwargs, Value } from '../objects/object.ts';
import { truthy } from '../objects/compare.ts';
import { call, getAttribute } from '../objects/protocol.ts';
import { PyTuple } from '../objects/tuple.ts';

const classNamed = (name: string): PyClass => new PyClass(name, [types.object], { module: 'contextlib' });

/** A context manager of the library: what it gives on entering, and whether it swallows what ends the block. */
abstract class Manager extends PyObject {
  abstract enter(): Value;
  /** @param error the exception, None when the block ended well */
  abstract leave(error: Value): boolean;

  override readsSpecial(name: string): boolean {
    return name === '__enter__' || name === '__exit__';
  }
}
const isManager = (v: Value): v is Manager => v instanceof Manager;

/** What `__exit__` was called with: an exception, made when only its class is given. */
const exceptionOf = (type: Value | undefined, error: Value | undefined): Value =>
  type === undefined || type === null ? null : (error ?? call(type, []));

function managerClass(name: string): PyClass {
  const cls = classNamed(name);
  defineMethods(cls, isManager, {
    '__enter__()': (self) => self.enter(),
    '__exit__(typ, value, traceback)': (self, type: Value, error: Value) => self.leave(exceptionOf(type, error)),
  });
  return cls;
}

const suppressClass = managerClass('suppress');
class Suppress extends Manager {
  readonly #classes: PyTuple;
  constructor(classes: readonly Value[]) {
    super();
    this.#classes = new PyTuple(classes);
  }
  get cls(): PyClass {
    return suppressClass;
  }
  enter(): Value {
    return null;
  }
  leave(error: Value): boolean {
    if (error === null) return false;
    return this.#classes.items.some((cls) =>
      cls instanceof PyClass
        ? typeOf(error).isSubclassOf(cls)
        : raise('TypeError', 'issubclass() arg 2 must be a class, a tuple of classes, or a union'),
    );
  }
}
suppressClass.create = (_cls, classes) => new Suppress(classes);

const nullClass = managerClass('nullcontext');
class NullContext extends Manager {
  readonly #result: Value;
  constructor(result: Value) {
    super();
    this.#result = result;
  }
  get cls(): PyClass {
    return nullClass;
  }
  override attribute(name: string): Value | undefined {
    return name === 'enter_result' ? this.#result : super.attribute(name);
  }
  enter(): Value {
    return this.#result;
  }
  leave(): boolean {
    return false;
  }
}
const nullcontext = nativeFunction('nullcontext(enter_result=)', (result) => new NullContext(result ?? null));
nullClass.create = (_cls, args, kwargs) => nullcontext.call(args, kwargs);

const closingClass = managerClass('closing');
class Closing extends Manager {
  readonly #thing: Value;
  constructor(thing: Value) {
    super();
    this.#thing = thing;
  }
  get cls(): PyClass {
    return closingClass;
  }
  enter(): Value {
    return this.#thing;
  }
  leave(): boolean {
    call(getAttribute(this.#thing, 'close'), []);
    return false;
  }
}
const closing = nativeFunction('closing(thing)', (thing: Value) => new Closing(thing));
closingClass.create = (_cls, args, kwargs) => closing.call(args, kwargs);

/** The exception that a piece of Python ends in; `undefined` when it ends well. The depth of calls is kept. */
function failure(body: () => void): PyError | undefined {
  const { depth } = frame;
  try {
    body();
    return undefined;
  } catch (error) {
    if (!(error instanceof PyError)) throw error;
    frame.depth = depth;
    return error;
  }
}

/** Steps that an exception costs which goes through a generator: it is thrown and caught several times. */
const THROWN = 20;

const generatorManagerClass = managerClass('_GeneratorContextManager');
/** What a function decorated with `@contextmanager` returns: a generator that stands still inside of the block. */
class GeneratorManager extends Manager {
  readonly #again: () => GeneratorManager;
  readonly #source: Value;
  constructor(source: Value, again: () => GeneratorManager) {
    super();
    this.#source = source;
    this.#again = again;
  }
  get cls(): PyClass {
    return generatorManagerClass;
  }
  #next(): Value | undefined {
    if (this.#source instanceof PyIterator) return this.#source.next();
    return raise('TypeError', `'${typeName(this.#source)}' object is not an iterator`);
  }
  enter(): Value {
    const first = this.#next();
    return first === undefined ? raise('RuntimeError', "generator didn't yield") : first;
  }
  leave(error: Value): boolean {
    if (error === null) return this.#next() === undefined ? false : raise('RuntimeError', "generator didn't stop");
    const source = this.#source;
    if (!(source instanceof PyGenerator)) return raise('AttributeError', `'${typeName(source)}' object has no attribute 'throw'`);
    tick(THROWN);
    const flying = raising(error);
    let isStopped = false;
    const failed = failure(() => {
      isStopped = source.throwInto(flying) === undefined;
    });
    if (failed === undefined) return isStopped || raise('RuntimeError', "generator didn't stop after throw()");
    if (failed.value === error) return false;
    // A generator makes a RuntimeError of every StopIteration that leaves it.
    const isWrapped = flying.className === 'StopIteration' && failed.className === 'RuntimeError' && failed.message.startsWith('generator raised');
    if (isWrapped) return false;
    throw failed;
  }
  /** As a decorator: each call of the function is inside of a block of its own. */
  override call(args: readonly Value[]): Value {
    const [inner = null] = args;
    return new PyBuiltin(nameOf(inner), (given, named) => within(this.#again(), () => call(inner, given, named)));
  }
}

const nameOf = (v: Value): string => {
  const name = v instanceof PyObject ? v.attribute('__name__') : undefined;
  return typeof name === 'string' ? name : 'inner';
};

/** Runs a piece of Python inside of a manager's block. */
function within(manager: Manager, body: () => Value): Value {
  manager.enter();
  let result: Value = null;
  const failed = failure(() => {
    result = body();
  });
  if (manager.leave(failed?.value ?? null) || failed === undefined) return result;
  throw failed;
}

/** What `@contextmanager` makes of a function; it binds as a method, too. */
class ContextFunction extends PyObject {
  readonly #fn: Value;
  constructor(fn: Value) {
    super();
    this.#fn = fn;
  }
  get cls(): PyClass {
    return types.function;
  }
  override repr(): string {
    return this.#fn instanceof PyObject ? this.#fn.repr() : super.repr();
  }
  override describe(self: Value): Value {
    return self === null ? this : new PyBoundMethod(self, this);
  }
  override attribute(name: string): Value | undefined {
    return this.#fn instanceof PyFunction ? this.#fn.attribute(name) : undefined;
  }
  override call(args: readonly Value[], kwargs?: Kwargs): Value {
    const made = (): GeneratorManager => new GeneratorManager(call(this.#fn, args, kwargs), made);
    return made();
  }
}

const stackClass = managerClass('ExitStack');
type Exit = (error: Value) => boolean;
/** `contextlib.ExitStack`: managers and functions that are left in the opposite order. */
class ExitStack extends Manager {
  #exits: Exit[] = [];
  get cls(): PyClass {
    return stackClass;
  }
  push(exit: Exit): void {
    this.#exits.push(exit);
  }
  enter(): Value {
    return this;
  }
  leave(error: Value): boolean {
    let pending = error === null ? undefined : raising(error);
    let isRaised = false;
    for (let exit = this.#exits.pop(); exit !== undefined; exit = this.#exits.pop()) {
      const one = exit;
      const before = pending;
      const failed = failure(() => {
        if (!one(before?.value ?? null) || before === undefined) return;
        pending = undefined;
        isRaised = false;
      });
      if (failed === undefined) continue;
      if (before !== undefined) chained(failed, undefined, before);
      pending = failed;
      isRaised = true;
    }
    if (isRaised && pending !== undefined) throw pending;
    return error !== null && pending === undefined;
  }
  moved(): ExitStack {
    const made = new ExitStack();
    [made.#exits, this.#exits] = [this.#exits, []];
    return made;
  }
}
stackClass.create = () => new ExitStack();
const isStack = (v: Value): v is ExitStack => v instanceof ExitStack;

/** The method of a manager. @throws TypeError when it is none */
function special(manager: Value, name: string): PyObject {
  const found = typeOf(manager).lookupFor(manager, name);
  if (found instanceof PyObject) return found;
  const { label } = typeOf(manager);
  return raise('TypeError', `'${label.includes('.') ? '' : 'builtins.'}${label}' object does not support the context manager protocol`);
}

const exitOf = (exit: PyObject): Exit => (error) =>
  truthy(call(exit, error === null ? [null, null, null] : [typeOf(error), error, null]));

defineMethods(stackClass, isStack, {
  'enter_context(cm)': (self, manager: Value) => {
    const enter = special(manager, '__enter__');
    const exit = special(manager, '__exit__');
    const result = call(enter, []);
    self.push(exitOf(exit));
    return result;
  },
  'push(exit)': (self, exit: Value) => {
    const own = typeOf(exit).lookupFor(exit, '__exit__');
    if (own instanceof PyObject) self.push(exitOf(own));
    else if (exit instanceof PyObject) self.push(exitOf(exit));
    return exit;
  },
  'pop_all()': (self) => self.moved(),
  'close()': (self) => {
    self.leave(null);
    return null;
  },
});
defineVariadic(stackClass, isStack, 'callback', (self, [fn = null, ...args], kwargs) => {
  self.push(() => {
    call(fn, args, kwargs);
    return false;
  });
  return fn;
});

/** The module `contextlib`. */
export const contextlib = moduleOf('contextlib', {
  suppress: suppressClass,
  nullcontext: nullClass,
  closing: closingClass,
  contextmanager: nativeFunction('contextmanager(func)', (fn: Value) => new ContextFunction(fn)),
  ExitStack: stackClass,
});
