import { logMessage } from './record.ts';
import { LEVELS, ALIASES, levelFrom } from './levels.ts';
import { frame, PerEvaluation } from '../../frame.ts';
import { tick } from '../../meter.ts';
import { PyInstance } from '../../objects/classes/instance.ts';
import { moduleOf } from '../../objects/classes/module.ts';
import {
  defineGetters,
  defineMethods,
  defineVariadic,
  nativeFunction,
  PyBuiltin,
} from '../../objects/classes/native.ts';
import { PyList } from '../../objects/collections/list.ts';
import { PyClass } from '../../objects/class.ts';
import { types } from '../../objects/types.ts';
import type { Kwargs, Value } from '../../objects/object.ts';
import { truthy } from '../../objects/compare.ts';
import { str } from '../../text/repr.ts';
import { levelName, Transcript } from '../../transcript.ts';

/**
 * Records go to the transcript of the evaluation, if there is one. Handlers and formats are
 * accepted and ignored.
 */
const loggerClass = new PyClass('Logger', [types.object], { module: 'logging' });
/** The levels of an evaluation whose output is dropped. */
const unheard = new PerEvaluation<Transcript>();
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

/** A logger with this name. Two with one name log alike, but are two objects for `is`. */
export function loggerNamed(name: string): PyInstance {
  const logger = new PyInstance(loggerClass);
  logger.attributes.set('name', name);
  return logger;
}

for (const [name, level] of Object.entries(BY_METHOD)) {
  defineVariadic(loggerClass, { is: isLogger }, name, (self, args, kwargs) =>
    logMessage(nameOf(self), level, args, kwargs, name === 'exception'),
  );
}
defineVariadic(loggerClass, { is: isLogger }, 'log', (self, args, kwargs) =>
  leveled(nameOf(self), args, kwargs),
);
defineMethods(
  loggerClass,
  { is: isLogger },
  {
    'setLevel(level)': (self, level = null) => {
      tick(1);
      levels().setLevel(nameOf(self), levelFrom(level));
      return null;
    },
    'isEnabledFor(level)': (self, level = null) =>
      levelFrom(level) >= levels().levelOf(nameOf(self)),
    'getEffectiveLevel()': (self) => levels().levelOf(nameOf(self)),
    'getChild(suffix)': (self, suffix = null) => loggerNamed(childName(nameOf(self), str(suffix))),
    'addHandler(handler)': () => null,
    'removeHandler(handler)': () => null,
    'hasHandlers()': () => true,
  },
);

defineGetters(
  loggerClass,
  { is: isLogger },
  {
    level: (self) => levels().ownLevelOf(nameOf(self)),
    handlers: () => new PyList([]),
    propagate: () => true,
    disabled: () => false,
  },
);

/** The module's functions, which log as the root. */
const ofRoot = Object.entries(BY_METHOD).map(([name, level]): [string, Value] => [
  name,
  new PyBuiltin(name, (args, kwargs) =>
    logMessage('root', level, args, kwargs, name === 'exception'),
  ),
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

/** Where levels are kept: with the output, or else for the evaluation. */
function levels(): Transcript {
  return frame.transcript ?? unheard.get() ?? unheard.set(new Transcript(LEVELS.WARNING));
}

function isLogger(value: Value): value is PyInstance {
  return value instanceof PyInstance && value.cls.isSubclassOf(loggerClass);
}

function nameOf(logger: PyInstance): string {
  return str(logger.attributes.get('name') ?? 'root');
}

function leveled(logger: string, args: readonly Value[], kwargs?: Kwargs): null {
  return logMessage(logger, levelFrom(args[0] ?? null), args.slice(1), kwargs);
}

function childName(name: string, suffix: string): string {
  return name === 'root' ? suffix : `${name}.${suffix}`;
}
