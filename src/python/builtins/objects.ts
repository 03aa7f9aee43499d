import { raise } from '../errors.ts';
import { notImplemented } from '../objects/classes/instance.ts';
import { nativeFunction, PyBuiltin } from '../objects/classes/native.ts';
import { typeName } from '../objects/types.ts';
import type { Value } from '../objects/object.ts';
import { ellipsis } from '../objects/singletons.ts';
import { format } from '../text/format.ts';
import { asciiText, repr } from '../text/repr.ts';
import { print } from './printing.ts';

/** Built-ins about single objects, and those that rule files may not call. */
export const objectBuiltins: Readonly<Record<string, Value>> = {
  repr: nativeFunction('repr(obj, /)', repr),
  ascii: nativeFunction('ascii(obj, /)', asciiText),
  format: nativeFunction('format(value, spec=, /)', (v: Value, spec) =>
    format(v, spec === undefined ? '' : specText(spec)),
  ),
  print,
  open: refused('open', 'they read no files'),
  input: refused('input', 'nobody answers'),
  eval: refused('eval', 'code is only what the rule file says'),
  exec: refused('exec', 'code is only what the rule file says'),
  compile: refused('compile', 'code is only what the rule file says'),
  __import__: refused('__import__', 'use the import statement'),
  NotImplemented: notImplemented,
  Ellipsis: ellipsis,
  __debug__: true,
};

function specText(v: Value): string {
  return typeof v === 'string'
    ? v
    : raise('TypeError', `format() argument 2 must be str, not ${typeName(v)}`);
}

/**
 * A function that rule files may not call: the name exists, and a call raises an exception that
 * Python code can catch.
 */
function refused(name: string, what: string): PyBuiltin {
  return new PyBuiltin(name, () =>
    raise(
      name === 'open' ? 'PermissionError' : 'NotImplementedError',
      `${name}() is not available in rule files: ${what}`,
    ),
  );
}
