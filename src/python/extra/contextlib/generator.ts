import { raise } from '../../errors.ts';
import { tick } from '../../meter.ts';
import { raising } from '../../objects/classes/exceptions.ts';
import { PyBoundMethod, PyFunction } from '../../objects/classes/function.ts';
import { PyGenerator } from '../../objects/collections/generator.ts';
import { PyBuiltin } from '../../objects/classes/native.ts';
import { PyIterator, PyObject, type Kwargs, type Value } from '../../objects/object.ts';
import { typeName, types } from '../../objects/types.ts';
import { type PyClass } from '../../objects/class.ts';
import { call } from '../../objects/protocol.ts';
import { failure, Manager, managerClass } from './manager.ts';

/**
 * Steps that an exception costs on its way through a generator, which throws and catches it several
 * times.
 */
const THROWN = 20;

const generatorManagerClass = managerClass('_GeneratorContextManager');
/**
 * The result of a function decorated with `@contextmanager`: a generator suspended inside the
 * block.
 */
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
    if (error === null)
      return this.#next() === undefined ? false : raise('RuntimeError', "generator didn't stop");
    const source = this.#source;
    if (!(source instanceof PyGenerator))
      return raise('AttributeError', `'${typeName(source)}' object has no attribute 'throw'`);
    tick(THROWN);
    const flying = raising(error);
    let isStopped = false;
    const failed = failure(() => {
      isStopped = source.throwInto(flying) === undefined;
    });
    if (failed === undefined)
      return isStopped || raise('RuntimeError', "generator didn't stop after throw()");
    if (failed.value === error) return false;
    // A generator turns a StopIteration that leaves it into a RuntimeError.
    const isWrapped =
      flying.className === 'StopIteration' &&
      failed.className === 'RuntimeError' &&
      failed.message.startsWith('generator raised');
    if (isWrapped) return false;
    throw failed;
  }
  /** As a decorator: each call of the function runs inside a block of its own. */
  override call(args: readonly Value[]): Value {
    const [inner = null] = args;
    return new PyBuiltin(nameOf(inner), (given, named) =>
      within(this.#again(), () => call(inner, given, named)),
    );
  }
}

/** A function decorated with `@contextmanager`; it binds as a method, too. */
export class ContextFunction extends PyObject {
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

function nameOf(v: Value): string {
  const name = v instanceof PyObject ? v.attribute('__name__') : undefined;
  return typeof name === 'string' ? name : 'inner';
}

/** Runs Python code inside a manager's block. */
function within(manager: Manager, body: () => Value): Value {
  manager.enter();
  let result: Value = null;
  const failed = failure(() => {
    result = body();
  });
  if (manager.leave(failed?.value ?? null) || failed === undefined) return result;
  throw failed;
}
