import { PyError, onMaterialise, raise } from '../../errors.ts';
import { tick } from '../../meter.ts';
import type { ExceptionName } from '../../errors.ts';
import { repr, str } from '../../text/repr.ts';
import { PyInstance } from './instance.ts';
import { defineGetters, defineVariadic } from './native.ts';
import { PyClass } from '../class.ts';
import { types } from '../types.ts';
import type { Kwargs, Value } from '../object.ts';
import { PyTuple } from '../collections/tuple.ts';

/** An exception object: an instance with `args`. */
export class PyException extends PyInstance {
  args: PyTuple;
  /** The operand of `raise ... from`. */
  cause: Value = null;
  /** The exception being handled when a `raise` raised this one. */
  context: Value = null;
  /** Whether a `raise ... from` hides the context. */
  isContextSuppressed = false;
  /** Line of the snippet that raised it; `undefined` before that. */
  line: number | undefined;

  constructor(cls: PyClass, args: readonly Value[]) {
    super(cls);
    this.args = new PyTuple([...args]);
  }
  override nativeRepr(): string {
    const inside = this.args.items.map(repr).join(', ');
    return `${this.cls.name}(${inside})`;
  }
  override nativeStr(): string {
    const [first, second, third] = this.args.items;
    if (first === undefined) return '';
    if (second !== undefined && this.cls.isSubclassOf(exceptionNamed('OSError'))) {
      return `[Errno ${str(first)}] ${str(second)}${third === undefined ? '' : `: ${repr(third)}`}`;
    }
    if (this.args.items.length > 1) return repr(this.args);
    return this.cls.isSubclassOf(exceptionNamed('KeyError')) ? repr(first) : str(first);
  }
  override setAttribute(name: string, value: Value): void {
    if (name === 'args')
      this.args = value instanceof PyTuple ? value : raise('TypeError', 'args must be a tuple');
    else super.setAttribute(name, value);
  }
}

const classes = new Map<string, PyClass>();

/** Indented like CPython's own list: each class extends the nearest less indented one above it. */
const HIERARCHY = `
BaseException
 SystemExit
 KeyboardInterrupt
 GeneratorExit
 Exception
  StopIteration
  ArithmeticError
   FloatingPointError
   OverflowError
   ZeroDivisionError
  AssertionError
  AttributeError
  BufferError
  EOFError
  ImportError
   ModuleNotFoundError
  LookupError
   IndexError
   KeyError
  MemoryError
  NameError
   UnboundLocalError
  OSError
   BlockingIOError
   ConnectionError
    BrokenPipeError
    ConnectionAbortedError
    ConnectionRefusedError
    ConnectionResetError
   FileExistsError
   FileNotFoundError
   InterruptedError
   IsADirectoryError
   NotADirectoryError
   PermissionError
   TimeoutError
  ReferenceError
  RuntimeError
   NotImplementedError
   RecursionError
  SyntaxError
  SystemError
  TypeError
  ValueError
   UnicodeError
    UnicodeDecodeError
    UnicodeEncodeError
  Warning
   UserWarning
   DeprecationWarning
   RuntimeWarning
`;

/** OSError(errno, ...) makes an instance of this subclass. */
const ERRNO: Readonly<Record<string, ExceptionName>> = {
  2: 'FileNotFoundError',
  13: 'PermissionError',
};

const path: PyClass[] = [types.object];
for (const line of HIERARCHY.trim().split('\n')) {
  const name = line.trim();
  const depth = line.length - name.length;
  const parent = path[depth] ?? types.object;
  const cls = new PyClass(name, [parent], { create });
  path[depth + 1] = cls;
  classes.set(name, cls);
}
/** CPython's old names of OSError. */
export const OS_ERROR_ALIASES = ['EnvironmentError', 'IOError'] as const;

/** A built-in exception class by its name. */
export function exceptionNamed(
  name: ExceptionName | 'BaseException' | 'Exception' | 'LookupError',
): PyClass {
  return classes.get(name) ?? raise('SystemError', `no exception class ${name}`);
}

/** All built-in exception classes, by name. */
export const exceptionClasses: ReadonlyMap<string, PyClass> = classes;

/** A new exception class for an embedder's module; the default base is Exception. */
export function exceptionClass(
  name: string,
  base: PyClass = exceptionNamed('Exception'),
  module?: string,
): PyClass {
  return new PyClass(name, [base], module === undefined ? {} : { module });
}

const base = exceptionNamed('BaseException');
defineVariadic(base, PyException, '__init__', (self, args) => {
  self.args = new PyTuple([...args]);
  return null;
});
defineVariadic(base, PyException, 'with_traceback', (self) => self);
defineVariadic(base, PyException, 'add_note', () => null);
defineGetters(base, PyException, {
  args: (self) => self.args,
  __cause__: (self) => self.cause,
  __context__: (self) => self.context,
  __suppress_context__: (self) => self.isContextSuppressed,
});
defineGetters(exceptionNamed('OSError'), PyException, {
  errno: part(0),
  strerror: part(1),
  filename: part(2),
});
defineGetters(exceptionNamed('StopIteration'), PyException, {
  value: (self) => self.args.items[0] ?? null,
});
for (const name of ['ImportError', 'NameError', 'AttributeError'] as const)
  defineGetters(exceptionNamed(name), PyException, { name: nameIn });
defineGetters(exceptionNamed('ImportError'), PyException, {
  msg: (self) => (self.args.items.length === 1 ? (self.args.items[0] ?? null) : null),
  path: () => null,
});
for (const name of ['ImportError', 'ModuleNotFoundError'] as const)
  exceptionNamed(name).create = importError;

onMaterialise((className, args, line) => {
  const made = new PyException(classes.get(className) ?? exceptionNamed('RuntimeError'), args);
  made.line = line;
  return made;
});

/**
 * Records the cause and the context of an exception.
 * @throws TypeError for a cause that is no exception
 */
export function chained(
  error: PyError,
  cause: Value | undefined,
  context: PyError | undefined,
): void {
  const made = error.value;
  if (!(made instanceof PyException)) return;
  if (context !== undefined && context.value !== made) {
    leaveChain(context.value, made);
    made.context = context.value;
  }
  if (cause === undefined) return;
  const reason = cause instanceof PyClass && cause.isSubclassOf(base) ? cause.call([]) : cause;
  if (reason !== null && !(reason instanceof PyException))
    raise('TypeError', 'exception causes must derive from BaseException');
  made.cause = reason;
  made.isContextSuppressed = true;
}

/**
 * What `raise x` throws: an instance, or a class, which is called without arguments.
 * @throws TypeError
 */
export function raising(value: Value): PyError {
  const made = value instanceof PyClass && value.isSubclassOf(base) ? value.call([]) : value;
  if (!(made instanceof PyException))
    return raise('TypeError', 'exceptions must derive from BaseException');
  const error = new PyError(made.cls.name, made.args.items, '', made);
  made.line = error.line;
  return error;
}

/** Takes an exception out of the chain of contexts above it, which would never end with it. */
function leaveChain(from: Value, made: PyException): void {
  for (let at = from; at instanceof PyException; at = at.context) {
    tick(1);
    if (at.context === made) at.context = null;
  }
}

function create(cls: PyClass, args: readonly Value[]): PyException {
  const special = cls.name === 'OSError' && args.length > 1 ? ERRNO[String(args[0])] : undefined;
  return new PyException(special === undefined ? cls : exceptionNamed(special), args);
}

function importError(cls: PyClass, args: readonly Value[], kwargs?: Kwargs): PyException {
  const made = new PyException(cls, args);
  kwargs?.forEach((value, name) => {
    if (name !== 'name' && name !== 'path')
      raise('TypeError', `'${name}' is an invalid keyword argument for ImportError()`);
    made.attributes.set(name, value);
  });
  return made;
}

function part(at: number) {
  return (self: PyException): Value =>
    self.args.items.length > 1 ? (self.args.items[at] ?? null) : null;
}

/** The missing name, taken from the text of the exception. */
function nameIn(self: PyException): Value {
  const [text] = self.args.items;
  return typeof text === 'string'
    ? (/^(?:No module named|name|cannot import name .* from|.* has no attribute) '([^']*)'/.exec(
        text,
      )?.[1] ?? null)
    : null;
}
