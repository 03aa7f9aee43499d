import { raise } from '../../errors.ts';
import { truthy } from '../../objects/compare.ts';
import { chained, raising } from '../../objects/classes/exceptions.ts';
import { defineMethods, defineVariadic } from '../../objects/classes/native.ts';
import { PyObject, type Value } from '../../objects/object.ts';
import { typeOf } from '../../objects/types.ts';
import { type PyClass } from '../../objects/class.ts';
import { call } from '../../objects/protocol.ts';
import { failure, Manager, managerClass } from './manager.ts';

/** `contextlib.ExitStack`. */
export const stackClass = managerClass('ExitStack');
type Exit = (error: Value) => boolean;
/** Managers and functions, left in reverse order. */
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

defineMethods(stackClass, ExitStack, {
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
defineVariadic(stackClass, ExitStack, 'callback', (self, [fn = null, ...args], kwargs) => {
  self.push(() => {
    call(fn, args, kwargs);
    return false;
  });
  return fn;
});

/** A method of a manager. @throws TypeError when there is none */
function special(manager: Value, name: string): PyObject {
  const found = typeOf(manager).lookupFor(manager, name);
  if (found instanceof PyObject) return found;
  const { label } = typeOf(manager);
  return raise(
    'TypeError',
    `'${label.includes('.') ? '' : 'builtins.'}${label}' object does not support the context manager protocol`,
  );
}

function exitOf(exit: PyObject): Exit {
  return (error) =>
    truthy(call(exit, error === null ? [null, null, null] : [typeOf(error), error, null]));
}
