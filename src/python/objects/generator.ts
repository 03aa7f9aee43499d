import { PyError, raise } from '../errors.ts';
import { raising } from './exceptions.ts';
import { defineMethods } from './native.ts';
import { PyIterator, types } from './object.ts';
import type { PyClass, Value } from './object.ts';
import { iterate } from './protocol.ts';

type Source = Generator<Value, Value, Value>;

/** A generator: a generator expression, or a call of a function with `yield`. */
export class PyGenerator extends PyIterator {
  readonly #source: Source;
  #running = false;
  #started = false;
  /** What the generator's `return` gave. */
  returned: Value = null;

  constructor(source: Source) {
    super();
    this.#source = source;
  }
  get cls(): PyClass {
    return types.generator;
  }
  next(): Value | undefined {
    return this.send(null);
  }
  send(value: Value): Value | undefined {
    if (!this.#started && value !== null) raise('TypeError', "can't send non-None value to a just-started generator");
    return this.#resume((source) => source.next(value));
  }
  throwInto(error: PyError): Value | undefined {
    return this.#resume((source) => source.throw(error));
  }
  close(): void {
    this.#resume((source) => source.return(null));
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

/** `yield from v` inside a generator: passes on what is sent, gives what `v` returned. */
export function* delegate(v: Value): Generator<Value, Value, Value> {
  const inner = iterate(v);
  let sent: Value = null;
  for (;;) {
    const value: Value | undefined = inner instanceof PyGenerator && sent !== null ? inner.send(sent) : inner.next();
    if (value === undefined) return inner instanceof PyGenerator ? inner.returned : null;
    sent = yield value;
  }
}

/** @throws StopIteration at the end, with the generator's value */
function stepped(self: PyGenerator, value: Value | undefined): Value {
  if (value !== undefined) return value;
  throw new PyError('StopIteration', self.returned === null ? [] : [self.returned], '');
}

const isGenerator = (v: Value): v is PyGenerator => v instanceof PyGenerator;
defineMethods(types.generator, isGenerator, {
  'send(value, /)': (self, value: Value) => stepped(self, self.send(value)),
  'throw(error, /)': (self, error: Value) => stepped(self, self.throwInto(raising(error))),
  'close()': (self) => {
    self.close();
    return null;
  },
});
