import { stderr, stdout } from '../builtins/printing.ts';
import { moduleOf } from '../objects/classes/module.ts';
import { PyFloat } from '../objects/numbers/number.ts';
import { PyTuple } from '../objects/collections/tuple.ts';
import { tupleClass } from './namedtuple.ts';

/** `from __future__ import …` has no effect here. */
export const future = moduleOf('__future__', {
  annotations: true,
  division: true,
  print_function: true,
});
const version = tupleClass('version_info', 'sys', [
  'major',
  'minor',
  'micro',
  'releaselevel',
  'serial',
]);
export const sys = moduleOf('sys', {
  maxsize: 9223372036854775807n,
  version: '3.11.7',
  platform: 'linux',
  byteorder: 'little',
  argv: new PyTuple([]),
  stdout,
  stderr,
  version_info: version.make([3, 11, 7, 'final', 0]),
  float_info: new PyTuple([new PyFloat(1.7976931348623157e308)]),
});
