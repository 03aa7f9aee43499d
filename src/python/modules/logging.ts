import { PyInstance } from '../objects/instance.ts';
import { moduleOf } from '../objects/module.ts';
import { nativeFunction, PyBuiltin } from '../objects/native.ts';
import { PyClass, types } from '../objects/object.ts';
import type { Value } from '../objects/object.ts';

/** A logger that keeps nothing: an embedder that wants the lines gives its own `logging`. */
const loggerClass = new PyClass('Logger', [types.object], { module: 'logging' });
const silent = (name: string): [string, Value] => [name, new PyBuiltin(name, () => null)];
const LEVELS = ['debug', 'info', 'warning', 'warn', 'error', 'exception', 'critical', 'log', 'setLevel', 'addHandler'];
loggerClass.dict.set('isEnabledFor', new PyBuiltin('isEnabledFor', () => false));
for (const [name, fn] of LEVELS.map((name) => silent(name))) loggerClass.dict.set(name, fn);
export const logging = moduleOf('logging', {
  DEBUG: 10,
  INFO: 20,
  WARNING: 30,
  ERROR: 40,
  CRITICAL: 50,
  Logger: loggerClass,
  getLogger: nativeFunction('getLogger(name=)', () => new PyInstance(loggerClass)),
  ...Object.fromEntries([...LEVELS, 'basicConfig'].map((name) => silent(name))),
});
