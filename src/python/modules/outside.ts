import { PyError, raise } from '../errors.ts';
import type { ExceptionName } from '../errors.ts';
import { payForText } from '../frame.ts';
import { PyException, exceptionClass, exceptionNamed } from '../objects/exceptions.ts';
import { PyInstance } from '../objects/instance.ts';
import { moduleOf, PyModule } from '../objects/module.ts';
import { nativeFunction, PyBuiltin } from '../objects/native.ts';
import { PyClass, PyObject, types } from '../objects/object.ts';
import type { Value } from '../objects/object.ts';
import { text } from '../builtins/strings.ts';
import { PyDict } from '../objects/dict.ts';
import { PyTuple } from '../objects/tuple.ts';

/**
 * Modules that reach outside of the snippet. They can be imported, because real rule files import them before the `try`
 * that guards their use; calling them raises what that code catches. An embedder puts its own in their place.
 */

const NOT_HERE = 'not available in rule files';

/** A function that raises a built-in exception. */
const raising = (name: string, exception: ExceptionName): Value =>
  new PyBuiltin(name, () => raise(exception, `${name}() is ${NOT_HERE}`));

/** A function that raises an exception class of its module. */
const failing = (name: string, cls: PyClass): Value =>
  new PyBuiltin(name, () => {
    const message = `${name}() is ${NOT_HERE}`;
    throw new PyError(cls.name, [message], message, new PyException(cls, [message]));
  });

/** `os.path` on texts alone: no file is looked at. */
const parts = (v: Value | undefined): [string, string] => {
  const path = text(v, 'expected str, bytes or os.PathLike object');
  const at = path.lastIndexOf('/') + 1;
  const head = path.slice(0, at);
  return [/^\/+$/.test(head) ? head : head.replace(/\/+$/, ''), path.slice(at)];
};
function splitExtension(v: Value | undefined): [string, string] {
  const path = text(v, 'expected str, bytes or os.PathLike object');
  const found = /^(.*\/)?(\.*[^/]+?)(\.[^./]*)$/s.exec(path);
  return found === null ? [path, ''] : [`${found[1] ?? ''}${found[2] ?? ''}`, found[3] ?? ''];
}
function joined(args: readonly Value[]): string {
  let path = '';
  for (const arg of args) {
    const next = text(arg, 'expected str, bytes or os.PathLike object');
    path = next.startsWith('/') ? next : path === '' || path.endsWith('/') ? path + next : `${path}/${next}`;
  }
  payForText(path.length);
  return path;
}
export const osPath = moduleOf('os.path', {
  sep: '/',
  join: new PyBuiltin('join', (args) => joined(args)),
  basename: nativeFunction('basename(p)', (p) => parts(p)[1]),
  dirname: nativeFunction('dirname(p)', (p) => parts(p)[0]),
  split: nativeFunction('split(p)', (p) => new PyTuple(parts(p))),
  splitext: nativeFunction('splitext(p)', (p) => new PyTuple(splitExtension(p))),
  isabs: nativeFunction('isabs(s)', (p) => text(p, 'path').startsWith('/')),
  exists: nativeFunction('exists(path)', () => false),
  isfile: nativeFunction('isfile(path)', () => false),
  isdir: nativeFunction('isdir(path)', () => false),
  getsize: raising('os.path.getsize', 'FileNotFoundError'),
  getmtime: raising('os.path.getmtime', 'FileNotFoundError'),
});
/** `os.environ`: empty, and it stays so, because all evaluations share it. */
class EmptyEnvironment extends PyDict {
  override set(): never {
    return raise('PermissionError', `os.environ is ${NOT_HERE}`);
  }
}
export const os = moduleOf('os', {
  path: osPath,
  sep: '/',
  linesep: '\n',
  name: 'posix',
  environ: new EmptyEnvironment(),
  getenv: nativeFunction('getenv(key, default=)', (_key, fallback) => fallback ?? null),
  ...Object.fromEntries(
    [
      'listdir',
      'stat',
      'walk',
      'remove',
      'mkdir',
      'makedirs',
      'rename',
      'system',
      'popen',
      'getcwd',
      'scandir',
      'open',
    ].map((name) => [name, raising(`os.${name}`, 'PermissionError')]),
  ),
});

const requestException = exceptionClass('RequestException', exceptionNamed('OSError'), 'requests.exceptions');
const requestErrors: Readonly<Record<string, PyClass>> = {
  RequestException: requestException,
  ConnectionError: exceptionClass('ConnectionError', requestException, 'requests.exceptions'),
  Timeout: exceptionClass('Timeout', requestException, 'requests.exceptions'),
  HTTPError: exceptionClass('HTTPError', requestException, 'requests.exceptions'),
};
const connectionError = requestErrors['ConnectionError'] ?? requestException;
export const requestsExceptions = moduleOf('requests.exceptions', requestErrors);
export const requests = moduleOf('requests', {
  ...requestErrors,
  exceptions: requestsExceptions,
  ...Object.fromEntries(
    ['get', 'post', 'put', 'delete', 'head', 'patch', 'request', 'Session', 'session'].map((name) => [
      name,
      failing(`requests.${name}`, connectionError),
    ]),
  ),
});

const psycopgError = exceptionClass('Error', undefined, 'psycopg2');
const operationalError = exceptionClass('OperationalError', psycopgError, 'psycopg2');
export const psycopg2 = moduleOf('psycopg2', {
  Error: psycopgError,
  OperationalError: operationalError,
  DatabaseError: operationalError,
  connect: failing('psycopg2.connect', operationalError),
});

/** An SQL expression that only ever reaches an embedder's own session: it keeps its text. */
const clauseClass = new PyClass('TextClause', [types.object], { module: 'sqlalchemy' });
class TextClause extends PyObject {
  readonly #sql: string;

  constructor(sql: string) {
    super();
    this.#sql = sql;
  }
  get cls(): PyClass {
    return clauseClass;
  }
  override str(): string {
    return this.#sql;
  }
}
const sqlError = exceptionClass('SQLAlchemyError', undefined, 'sqlalchemy.exc');
const sqlOperational = exceptionClass('OperationalError', sqlError, 'sqlalchemy.exc');
export const sqlalchemyExc = moduleOf('sqlalchemy.exc', {
  SQLAlchemyError: sqlError,
  OperationalError: sqlOperational,
});
/** `func.count(...)`: any name is a function that raises. */
class FunctionNamespace extends PyModule {
  override attribute(name: string): Value | undefined {
    return failing(`sqlalchemy.func.${name}`, sqlOperational);
  }
}
export const sqlalchemy = moduleOf('sqlalchemy', {
  text: nativeFunction('text(text)', (sql) => new TextClause(text(sql, 'text() argument'))),
  func: new FunctionNamespace('sqlalchemy.func', []),
  exc: sqlalchemyExc,
  ...Object.fromEntries(
    ['create_engine', 'select', 'and_', 'or_', 'not_', 'case', 'Table', 'MetaData'].map((name) => [
      name,
      failing(`sqlalchemy.${name}`, sqlOperational),
    ]),
  ),
});

export const pathlib = moduleOf('pathlib', {
  Path: raising('pathlib.Path', 'PermissionError'),
  PurePath: raising('pathlib.PurePath', 'PermissionError'),
});
export const subprocess = moduleOf(
  'subprocess',
  Object.fromEntries(
    ['run', 'call', 'check_output', 'Popen', 'check_call'].map((name) => [
      name,
      raising(`subprocess.${name}`, 'PermissionError'),
    ]),
  ),
);

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
