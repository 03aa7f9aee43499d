import { PyError, raise } from '../../errors.ts';
import { raising } from '../classes/exceptions.ts';
import { defineMethods } from '../classes/native.ts';
import { PyIterator, PyObject } from '../object.ts';
import { PyClass } from '../class.ts';
import { types } from '../types.ts';
import type { Value } from '../object.ts';
import { catching, iterate } from '../protocol.ts';

type Source = Generator<Value, Value, Value>;

/** A generator: a generator expression, or a call of a function with `yield`. */
export class PyGenerator extends PyIterator {
  readonly #source: Source;
  readonly #name: string;
  #running = false;
  #started = false;
  /** The value of the generator's `return`. */
  returned: Value = null;

  /** @param name the qualified name of its function */
  constructor(source: Source, name: string) {
    super();
    this.#source = source;
    this.#name = name;
  }
  override repr(): string {
    return `<generator object ${this.#name}>`;
  }
  override readsSpecial(name: string): boolean {
    return name === '__name__' || name === '__qualname__';
  }
  override attribute(name: string): Value | undefined {
    if (name === '__qualname__') return this.#name;
    return name === '__name__'
      ? this.#name.slice(this.#name.lastIndexOf('.') + 1)
      : super.attribute(name);
  }
  get cls(): PyClass {
    return types.generator;
  }
  next(): Value | undefined {
    return this.send(null);
  }
  send(value: Value): Value | undefined {
    if (!this.#started && value !== null)
      raise('TypeError', "can't send non-None value to a just-started generator");
    return this.#resume((source) => source.next(value));
  }
  throwInto(error: PyError): Value | undefined {
    return this.#resume((source) => source.throw(error));
  }
  /**
   * Raises GeneratorExit where it is suspended.
   * @throws RuntimeError when it yields instead of ending
   */
  close(): void {
    if (!this.#started) {
      this.#resume((source) => source.return(null));
      return;
    }
    const exit = new PyError('GeneratorExit', [], '');
    const value = catching(['GeneratorExit', 'StopIteration'], () => this.throwInto(exit));
    if (value !== undefined) raise('RuntimeError', 'generator ignored GeneratorExit');
  }
  #resume(step: (source: Source) => IteratorResult<Value, Value>): Value | undefined {
    if (this.#running) raise('ValueError', 'generator already executing');
    this.#running = true;
    this.#started = true;
    try {
      const result = step(this.#source);
      if (result.done !== true) return result.value;
      this.returned = result.value ?? null;
      return undefined;
    } catch (error) {
      if (error instanceof PyError && error.className === 'StopIteration')
        raise('RuntimeError', 'generator raised StopIteration');
      throw error;
    } finally {
      this.#running = false;
    }
  }
}

/** `yield from v` inside a generator: forwards what is sent, and gives the result of `v`. */
export function* delegate(v: Value): Generator<Value, Value, Value> {
  const inner = iterate(v);
  let sent: Value = null;
  let passed: Value | undefined;
  for (;;) {
    const value: Value | undefined =
      passed ??
      (passed === null
        ? null
        : inner instanceof PyGenerator && sent !== null
          ? inner.send(sent)
          : inner.next());
    passed = undefined;
    if (value === undefined) return inner instanceof PyGenerator ? inner.returned : null;
    try {
      sent = yield value;
    } catch (error) {
      if (!(inner instanceof PyGenerator) || !(error instanceof PyError)) throw error;
      passed = passedOn(inner, error);
      if (passed === undefined) return inner.returned;
    }
  }
}

defineMethods(types.generator, PyGenerator, {
  'send(value, /)': (self, value: Value) => stepped(self, self.send(value)),
  'throw(typ, val=, tb=, /)': (self, error: Value, value) =>
    stepped(self, self.throwInto(thrown(error, value))),
  'close()': (self) => {
    self.close();
    return null;
  },
});

/** An exception thrown into a generator that waits for another goes to the inner one first. */
function passedOn(inner: PyGenerator, error: PyError): Value | undefined {
  if (error.className !== 'GeneratorExit') return inner.throwInto(error);
  inner.close();
  throw error;
}

/** @throws StopIteration at the end, with the generator's value */
function stepped(self: PyGenerator, value: Value | undefined): Value {
  if (value !== undefined) return value;
  throw new PyError('StopIteration', self.returned === null ? [] : [self.returned], '');
}

/** What `throw(error)`, or the old `throw(class, value)`, raises. */
function thrown(error: Value, value: Value | undefined): PyError {
  const isPair = error instanceof PyClass && value !== undefined && value !== null;
  if (!isPair) return raising(error);
  return raising(
    value instanceof PyObject && value.cls.isSubclassOf(error) ? value : error.call([value]),
  );
}
