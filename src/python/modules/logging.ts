import { PyError, raise } from '../errors.ts';
import { frame } from '../frame.ts';
import { payForText } from '../text/size.ts';
import { tick } from '../meter.ts';
import { PyDict } from '../objects/collections/dict.ts';
import { PyException } from '../objects/classes/exceptions.ts';
import { PyInstance } from '../objects/classes/instance.ts';
import { moduleOf } from '../objects/classes/module.ts';
import {
  defineMethods,
  defineVariadic,
  nativeFunction,
  PyBuiltin,
} from '../objects/classes/native.ts';
import { asInt } from '../objects/numbers/number.ts';
import { PyClass } from '../objects/class.ts';
import { types } from '../objects/types.ts';
import type { Kwargs, Value } from '../objects/object.ts';
import { truthy } from '../objects/compare.ts';
import { PyTuple } from '../objects/collections/tuple.ts';
import { percentFormat } from '../text/percent.ts';
import { repr, str } from '../text/repr.ts';
import { levelName } from '../transcript.ts';
import { told } from './traceback.ts';

/**
 * A record goes to the transcript of the evaluation, if it keeps one. Handlers and
 * formats are taken and not used.
 */
const loggerClass = new PyClass('Logger', [types.object], { module: 'logging' });

const LEVELS = { DEBUG: 10, INFO: 20, WARNING: 30, ERROR: 40, CRITICAL: 50 } as const;
const ALIASES = { NOTSET: 0, WARN: LEVELS.WARNING, FATAL: LEVELS.CRITICAL } as const;
const BY_METHOD = {
  debug: LEVELS.DEBUG,
  info: LEVELS.INFO,
  warning: LEVELS.WARNING,
  warn: LEVELS.WARNING,
  error: LEVELS.ERROR,
  exception: LEVELS.ERROR,
  critical: LEVELS.CRITICAL,
  fatal: LEVELS.CRITICAL,
} as const;

/** A logger of this name; two of one name are one to what they say, though not to `is`. */
export function loggerNamed(name: string): PyInstance {
  const logger = new PyInstance(loggerClass);
  logger.attributes.set('name', name);
  return logger;
}

for (const [name, level] of Object.entries(BY_METHOD)) {
  defineVariadic(loggerClass, isLogger, name, (self, args, kwargs) =>
    tell(nameOf(self), level, args, kwargs, name === 'exception'),
  );
}
defineVariadic(loggerClass, isLogger, 'log', (self, args, kwargs) =>
  leveled(nameOf(self), args, kwargs),
);
defineMethods(loggerClass, isLogger, {
  'setLevel(level)': (self, level = null) => {
    tick(1);
    frame.transcript?.setLevel(nameOf(self), levelFrom(level));
    return null;
  },
  'isEnabledFor(level)': (self, level = null) => {
    const { transcript } = frame;
    return transcript !== undefined && levelFrom(level) >= transcript.levelOf(nameOf(self));
  },
  'getEffectiveLevel()': (self) => frame.transcript?.levelOf(nameOf(self)) ?? LEVELS.WARNING,
  'getChild(suffix)': (self, suffix = null) => loggerNamed(childName(nameOf(self), str(suffix))),
  'addHandler(handler)': () => null,
  'removeHandler(handler)': () => null,
  'hasHandlers()': () => true,
});

/** The functions of the module, which log as the root. */
const ofRoot = Object.entries(BY_METHOD).map(([name, level]): [string, Value] => [
  name,
  new PyBuiltin(name, (args, kwargs) => tell('root', level, args, kwargs, name === 'exception')),
]);

export const logging = moduleOf('logging', {
  ...LEVELS,
  ...ALIASES,
  Logger: loggerClass,
  getLogger: nativeFunction('getLogger(name=)', (name = null) =>
    loggerNamed(truthy(name) ? str(name) : 'root'),
  ),
  getLevelName: nativeFunction('getLevelName(level)', (level = null) =>
    typeof level === 'string' ? levelFrom(level) : levelName(levelFrom(level)),
  ),
  ...Object.fromEntries(ofRoot),
  log: new PyBuiltin('log', (args, kwargs) => leveled('root', args, kwargs)),
  basicConfig: new PyBuiltin('basicConfig', () => null),
});

function isLogger(value: Value): value is PyInstance {
  return value instanceof PyInstance && value.cls.isSubclassOf(loggerClass);
}

function nameOf(logger: PyInstance): string {
  return str(logger.attributes.get('name') ?? 'root');
}

function leveled(logger: string, args: readonly Value[], kwargs?: Kwargs): null {
  return tell(logger, levelFrom(args[0] ?? null), args.slice(1), kwargs);
}

/** What a call of a logger says: `args` are the message and its values. */
function tell(
  logger: string,
  level: number,
  args: readonly Value[],
  kwargs?: Kwargs,
  hasException = false,
): null {
  const [message, ...values] = args;
  if (message === undefined) raise('TypeError', "missing 1 required positional argument: 'msg'");
  const { transcript } = frame;
  if (transcript === undefined || level < transcript.levelOf(logger)) return null;
  try {
    const text = formatted(message, values);
    payForText(text.length);
    const trouble = exceptionText(kwargs?.get('exc_info') ?? hasException);
    transcript.log(logger, level, () => (trouble === null ? text : `${text}\n${trouble}`));
  } catch (error) {
    // As in Python, a record that cannot be written does not end what logs it.
    if (!(error instanceof PyError)) throw error;
    const shown = values.length === 0 ? '()' : repr(new PyTuple(values));
    transcript.print(
      'err',
      `--- Logging error ---\n${tracebackOf(error.value)}\nMessage: ${repr(message)}\nArguments: ${shown}\n`,
    );
  }
  return null;
}

function formatted(message: Value, values: readonly Value[]): string {
  if (values.length === 0) return str(message);
  const [only] = values;
  const isTable = values.length === 1 && only instanceof PyDict && truthy(only);
  return percentFormat(str(message), isTable ? only : new PyTuple(values));
}

/**
 * What is told of `exc_info`: the exception of the `except` under way,
 * or the one given; null for none.
 */
function exceptionText(given: Value): string | null {
  const value = given instanceof PyTuple ? (given.items[1] ?? null) : given;
  if (value instanceof PyException) return tracebackOf(value);
  return truthy(value) ? tracebackOf(frame.handled?.value ?? null) : null;
}

function tracebackOf(error: Value): string {
  return told(error, true).join('').trimEnd();
}

function levelFrom(given: Value): number {
  const known: Readonly<Record<string, number>> = { ...LEVELS, ...ALIASES };
  if (typeof given === 'string')
    return known[given] ?? raise('ValueError', `Unknown level: ${repr(given)}`);
  const level = asInt(given);
  return level === undefined
    ? raise('TypeError', `Level not an integer or a valid string: ${repr(given)}`)
    : Number(level);
}

function childName(name: string, suffix: string): string {
  return name === 'root' ? suffix : `${name}.${suffix}`;
}
