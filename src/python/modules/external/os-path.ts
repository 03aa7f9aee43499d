import { raise } from '../../errors.ts';
import { moduleOf } from '../../objects/classes/module.ts';
import { nativeFunction, PyBuiltin } from '../../objects/classes/native.ts';
import { PyList } from '../../objects/collections/list.ts';
import { PyTuple } from '../../objects/collections/tuple.ts';
import type { Value } from '../../objects/object.ts';
import { items } from '../../objects/protocol.ts';
import { joinedPath, namesIn, normalPath, pathText } from './path-text.ts';
import { raisingFunction, UNAVAILABLE } from './unavailable.ts';

const JOINED = 'join() argument must be str, bytes, or os.PathLike object';

/** `os.path` on texts alone: it looks at no file, and no environment or user is known. */
export const osPath = moduleOf('os.path', {
  sep: '/',
  pathsep: ':',
  extsep: '.',
  altsep: null,
  curdir: '.',
  pardir: '..',
  devnull: '/dev/null',
  join: new PyBuiltin('join', (args) =>
    args.length === 0
      ? raise('TypeError', "join() missing 1 required positional argument: 'a'")
      : joinedPath(args.map((arg, at) => (at === 0 ? pathText(arg) : pathText(arg, JOINED)))),
  ),
  basename: nativeFunction('basename(p)', (p) => parts(p)[1]),
  dirname: nativeFunction('dirname(p)', (p) => parts(p)[0]),
  split: nativeFunction('split(p)', (p) => new PyTuple(parts(p))),
  splitext: nativeFunction('splitext(p)', (p) => new PyTuple(splitExtension(p))),
  splitdrive: nativeFunction('splitdrive(p)', (p) => new PyTuple(['', pathText(p)])),
  isabs: nativeFunction('isabs(s)', (p) => pathText(p).startsWith('/')),
  normcase: nativeFunction('normcase(s)', (p) => pathText(p)),
  normpath: nativeFunction('normpath(path)', (p) => normalPath(pathText(p))),
  abspath: nativeFunction('abspath(path)', (p) => absolute(p, 'abspath')),
  realpath: nativeFunction('realpath(filename, *, strict=)', (p) => absolute(p, 'realpath')),
  relpath: nativeFunction('relpath(path, start=)', relative),
  commonprefix: nativeFunction('commonprefix(m)', commonPrefix),
  commonpath: nativeFunction('commonpath(paths)', commonPath),
  expanduser: nativeFunction('expanduser(path)', (p) => pathText(p)),
  expandvars: nativeFunction('expandvars(path)', (p) => pathText(p)),
  ...Object.fromEntries(
    ['exists', 'lexists', 'isfile', 'isdir', 'islink', 'ismount'].map((name) => [
      name,
      nativeFunction(`${name}(path)`, () => false),
    ]),
  ),
  ...Object.fromEntries(
    ['getsize', 'getmtime', 'getatime', 'getctime', 'samefile'].map((name) => [
      name,
      raisingFunction(`os.path.${name}`, 'FileNotFoundError'),
    ]),
  ),
});

function parts(v: Value | undefined): [string, string] {
  const path = pathText(v);
  const at = path.lastIndexOf('/') + 1;
  const head = path.slice(0, at);
  return [/^\/+$/.test(head) ? head : head.replace(/\/+$/, ''), path.slice(at)];
}

/** The extension begins at the last point, but not at those that a name begins with. */
function splitExtension(v: Value | undefined): [string, string] {
  const path = pathText(v);
  const at = path.lastIndexOf('.');
  const name = path.slice(path.lastIndexOf('/') + 1, Math.max(at, 0));
  return at > path.lastIndexOf('/') && /[^.]/.test(name)
    ? [path.slice(0, at), path.slice(at)]
    : [path, ''];
}

/** @throws PermissionError for a path from the working directory, which no rule knows */
function absolute(v: Value | undefined, name: string): string {
  const path = pathText(v);
  return path.startsWith('/')
    ? normalPath(path)
    : raise('PermissionError', `os.path.${name}() of a relative path is ${UNAVAILABLE}`);
}

/** The way from one path to another; both begin at the same place, known or not. */
function relative(given: Value | undefined, begin: Value | undefined): string {
  const path = pathText(given);
  const start = begin === undefined || begin === null ? '.' : pathText(begin);
  if (path === '') raise('ValueError', 'no path specified');
  const ways = [path, start === '' ? '.' : start].map(normalPath);
  const isKnown =
    ways.every((way) => way.startsWith('/')) ||
    ways.every((way) => !/^(?:\/|\.\.(?:\/|$))/.test(way));
  if (!isKnown) raise('PermissionError', `os.path.relpath() of these paths is ${UNAVAILABLE}`);
  const [to = [], from = []] = ways.map((way) => namesIn(way).filter((name) => name !== '.'));
  const shared = sharedLength([to, from]);
  return [...from.slice(shared).map(() => '..'), ...to.slice(shared)].join('/') || '.';
}

/** How many items all lists begin with alike. */
function sharedLength(lists: readonly (readonly string[])[]): number {
  const [first = [], ...others] = lists;
  const end = first.findIndex((item, at) => others.some((other) => other[at] !== item));
  return end < 0 ? first.length : end;
}

/** Of texts; lists and tuples of them are compared item by item. */
function commonPrefix(given: Value | undefined): Value {
  const all = items(given ?? null);
  const [first] = all;
  if (first === undefined) return '';
  if (first instanceof PyList || first instanceof PyTuple) {
    const lists = all.map((list) => items(list).map((item) => pathText(item)));
    return new PyList((lists[0] ?? []).slice(0, sharedLength(lists)));
  }
  const texts = all.map((text) => Array.from(pathText(text)));
  return (texts[0] ?? []).slice(0, sharedLength(texts)).join('');
}

function commonPath(given: Value | undefined): string {
  const paths = items(given ?? null).map((path) => pathText(path));
  if (paths.length === 0) raise('ValueError', 'commonpath() arg is an empty sequence');
  const isAbsolute = paths.filter((path) => path.startsWith('/')).length;
  if (isAbsolute !== 0 && isAbsolute !== paths.length)
    raise('ValueError', "Can't mix absolute and relative paths");
  const lists = paths.map((path) => namesIn(path).filter((name) => name !== '.'));
  const shared = (lists[0] ?? []).slice(0, sharedLength(lists)).join('/');
  return isAbsolute === 0 ? shared : `/${shared}`;
}
