import { raise } from '../../errors.ts';
import { nativeFunction } from '../../objects/classes/native.ts';
import { type Value } from '../../objects/object.ts';
import { PyClass } from '../../objects/class.ts';
import { typeOf } from '../../objects/types.ts';
import { call, getAttribute } from '../../objects/protocol.ts';
import { PyTuple } from '../../objects/collections/tuple.ts';
import { Manager, managerClass } from './manager.ts';

/** `contextlib.suppress`. */
export const suppressClass = managerClass('suppress');
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

/** `contextlib.nullcontext`. */
export const nullClass = managerClass('nullcontext');
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
const nullcontext = nativeFunction(
  'nullcontext(enter_result=)',
  (result) => new NullContext(result ?? null),
);
nullClass.create = (_cls, args, kwargs) => nullcontext.call(args, kwargs);

/** `contextlib.closing`. */
export const closingClass = managerClass('closing');
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
