import { moduleOf } from '../../objects/classes/module.ts';
import { nativeFunction } from '../../objects/classes/native.ts';
import type { Value } from '../../objects/object.ts';
import { ContextFunction } from './generator.ts';
import { closingClass, nullClass, suppressClass } from './plain.ts';
import { stackClass } from './stack.ts';

/** The module `contextlib`. */
export const contextlib = moduleOf('contextlib', {
  suppress: suppressClass,
  nullcontext: nullClass,
  closing: closingClass,
  contextmanager: nativeFunction('contextmanager(func)', (fn: Value) => new ContextFunction(fn)),
  ExitStack: stackClass,
});
