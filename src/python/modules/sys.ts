import { stderr, stdout } from '../builtins/printing.ts';
import { moduleOf } from '../objects/classes/module.ts';
import { PyFloat } from '../objects/numbers/number.ts';
import { PyTuple } from '../objects/collections/tuple.ts';

/** `from __future__ import …` has no effect here. */
export const future = moduleOf('__future__', {
  annotations: true,
  division: true,
  print_function: true,
});
export const sys = moduleOf('sys', {
  maxsize: 9223372036854775807n,
  version: '3.11.7',
  platform: 'linux',
  byteorder: 'little',
  argv: new PyTuple([]),
  stdout,
  stderr,
  version_info: new PyTuple([3, 11, 7, 'final', 0]),
  float_info: new PyTuple([new PyFloat(1.7976931348623157e308)]),
});
