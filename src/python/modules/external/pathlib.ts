import { raise } from '../../errors.ts';
import type { ExceptionName } from '../../errors.ts';
import { orderItems } from '../../objects/compare.ts';
import { defineClass } from '../../objects/classes/host.ts';
import type { HostClass } from '../../objects/classes/host.ts';
import { moduleOf } from '../../objects/classes/module.ts';
import { defineVariadic } from '../../objects/classes/native.ts';
import { NativeIterator } from '../../objects/collections/iterator.ts';
import { PyList } from '../../objects/collections/list.ts';
import { position, PySlice, sliced } from '../../objects/collections/slice.ts';
import { PyTuple } from '../../objects/collections/tuple.ts';
import { COMPOUND } from '../../objects/key.ts';
import { PyObject } from '../../objects/object.ts';
import type { Value } from '../../objects/object.ts';
import { repr } from '../../text/repr.ts';
import { joinedPath, normalPath, pathText, slashesAhead } from './path-text.ts';
import {
  changedName,
  changedSuffix,
  matchesPattern,
  finalName,
  parentOf,
  pathParts,
  purePath,
  relativeTo,
  stemOf,
  suffixesOf,
  suffixOf,
} from './pure-path.ts';
import { UNAVAILABLE } from './unavailable.ts';

/** Paths as texts: operations on the name work, nothing exists, and opening a file raises. */
const paths: HostClass<string> = defineClass<string>({
  name: 'PosixPath',
  module: 'pathlib',
  construct: joined,
  attributes: {
    name: { get: finalName },
    stem: { get: stemOf },
    suffix: { get: suffixOf },
    suffixes: { get: (path) => new PyList([...suffixesOf(path)]) },
    parent: { get: (path) => paths.wrap(parentOf(path)) },
    parents: { get: (path) => parents.wrap(path) },
    parts: { get: (path) => new PyTuple(pathParts(path)) },
    root: { get: slashesAhead },
    drive: { get: () => '' },
    anchor: { get: slashesAhead },
  },
  methods: {
    '__fspath__()': (path) => path,
    'with_name(name)': (path, name) => paths.wrap(changedName(path, pathText(name))),
    'with_stem(stem)': (path, stem) =>
      paths.wrap(changedName(path, pathText(stem) + suffixOf(path))),
    'with_suffix(suffix)': (path, suffix) => paths.wrap(changedSuffix(path, pathText(suffix))),
    'match(path_pattern)': (path, pattern) => matchesPattern(path, purePath(pathText(pattern))),
    'as_posix()': (path) => path,
    'is_absolute()': (path) => slashesAhead(path) !== '',
    'expanduser()': (path) => paths.wrap(path),
    'absolute()': (path) => paths.wrap(known(path, 'absolute')),
    'resolve(strict=)': (path) => paths.wrap(normalPath(known(path, 'resolve'))),
    'exists()': () => false,
    'is_file()': () => false,
    'is_dir()': () => false,
    'is_symlink()': () => false,
    'is_mount()': () => false,
    ...refusing('FileNotFoundError', [
      'read_text(encoding=)',
      'read_bytes()',
      'open(mode=)',
      'stat()',
      'iterdir()',
    ]),
    ...refusing('PermissionError', [
      'write_text(data)',
      'mkdir(parents=, exist_ok=)',
      'unlink()',
      'touch()',
    ]),
  },
  str: (path) => path,
  repr: (path) => `PosixPath(${repr(path)})`,
  key: (path) => `${COMPOUND}p${path}`,
  equals: (path, other) =>
    paths.unwrap(other) === undefined ? undefined : paths.unwrap(other) === path,
  order: (path, op, other) => {
    const theirs = paths.unwrap(other);
    return theirs === undefined ? undefined : orderItems(op, pathParts(path), pathParts(theirs));
  },
  binary: (path, op, other) =>
    op === '/' && isPath(other) ? paths.wrap(joined([path, other])) : undefined,
  reflected: (path, op, other) =>
    op === '/' && isPath(other) ? paths.wrap(joined([other, path])) : undefined,
});

/** The parents of a path, each made when it is read. */
const parents = defineClass<string>({
  name: '_PathParents',
  module: 'pathlib',
  length: (path) => parentCount(path),
  item: (path, key) => {
    const length = parentCount(path);
    const all = Array.from({ length }, (_, at) => at);
    return key instanceof PySlice
      ? new PyTuple(sliced(all, key).map((at) => parentAt(path, at)))
      : parentAt(path, position(key, length, 'tuple', String(key)));
  },
  iterate: (path) => {
    const [length, at] = [parentCount(path), { next: 0 }];
    return new NativeIterator('generator', () => {
      at.next += 1;
      return at.next > length ? undefined : parentAt(path, at.next - 1);
    });
  },
  repr: () => '<PosixPath.parents>',
});

defineVariadic(paths.cls, { is: isOwn }, 'joinpath', (self, args) =>
  paths.wrap(joined([self, ...args])),
);
defineVariadic(paths.cls, { is: isOwn }, 'relative_to', (self, args) =>
  args.length === 0
    ? raise('TypeError', 'need at least one argument')
    : paths.wrap(
        relativeTo(pathText(self), joined(args)) ??
          raise(
            'ValueError',
            `${repr(pathText(self))} is not in the subpath of ${repr(joined(args))} ` +
              'OR one path is relative and the other is absolute.',
          ),
      ),
);
defineVariadic(
  paths.cls,
  { is: isOwn },
  'is_relative_to',
  (self, args) => relativeTo(pathText(self), joined(args)) !== undefined,
);

export const pathlib = moduleOf('pathlib', {
  Path: paths.cls,
  PurePath: paths.cls,
  PosixPath: paths.cls,
  PurePosixPath: paths.cls,
});

function isOwn(v: Value): v is PyObject {
  return paths.unwrap(v) !== undefined;
}

function isPath(v: Value): boolean {
  return (
    typeof v === 'string' || (v instanceof PyObject && v.cls.lookup('__fspath__') !== undefined)
  );
}

function joined(args: readonly Value[]): string {
  return purePath(joinedPath(args.map((arg) => pathText(arg))));
}

function parentCount(path: string): number {
  return pathParts(path).length - (slashesAhead(path) === '' ? 0 : 1);
}

function parentAt(path: string, at: number): Value {
  const parts = pathParts(path);
  return paths.wrap(purePath(joinedPath(parts.slice(0, parts.length - 1 - at))));
}

/** @throws PermissionError for a path from the working directory, which no rule knows */
function known(path: string, name: string): string {
  return slashesAhead(path) === ''
    ? raise('PermissionError', `Path.${name}() of '${path}' is ${UNAVAILABLE}`)
    : path;
}

function refusing(
  exception: ExceptionName,
  signatures: readonly string[],
): Record<string, (path: string) => Value> {
  const name = (signature: string): string => signature.slice(0, signature.indexOf('('));
  return Object.fromEntries(
    signatures.map((signature) => [
      signature,
      (path) => raise(exception, `Path.${name(signature)}() of '${path}' is ${UNAVAILABLE}`),
    ]),
  );
}
