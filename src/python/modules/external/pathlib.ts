import { raise } from '../../errors.ts';
import type { ExceptionName } from '../../errors.ts';
import { payForText } from '../../text/size.ts';
import { stringArgument } from '../../builtins/strings.ts';
import { defineClass } from '../../objects/classes/host.ts';
import type { HostClass } from '../../objects/classes/host.ts';
import { moduleOf } from '../../objects/classes/module.ts';
import type { Value } from '../../objects/object.ts';
import { PyTuple } from '../../objects/collections/tuple.ts';
import { repr } from '../../text/repr.ts';
import { UNAVAILABLE } from './unavailable.ts';

/** Paths as texts: operations on the name work, nothing exists, and opening a file raises. */
const paths: HostClass<string> = defineClass<string>({
  name: 'PosixPath',
  module: 'pathlib',
  construct: joined,
  attributes: {
    name: { get: nameOf },
    stem: { get: (path) => nameOf(path).replace(/(?<=.)\.[^.]*$/, '') },
    suffix: { get: suffixOf },
    parent: { get: (path) => paths.wrap(parentOf(path)) },
    parts: { get: (path) => new PyTuple(partsOf(path)) },
  },
  methods: {
    'joinpath(other)': (path, other) => paths.wrap(joined([path, other ?? null])),
    'with_suffix(suffix)': (path, suffix) =>
      paths.wrap(
        path.slice(0, path.length - suffixOf(path).length) +
          stringArgument(suffix, 'suffix must be a str'),
      ),
    'as_posix()': (path) => path,
    'is_absolute()': (path) => path.startsWith('/'),
    'exists()': () => false,
    'is_file()': () => false,
    'is_dir()': () => false,
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
      'resolve()',
    ]),
  },
  str: (path) => path,
  repr: (path) => `PosixPath(${repr(path)})`,
  equals: (path, other) =>
    paths.unwrap(other) === undefined ? undefined : paths.unwrap(other) === path,
  binary: (path, op, other) => (op === '/' ? paths.wrap(joined([path, other])) : undefined),
});

export const pathlib = moduleOf('pathlib', {
  Path: paths.cls,
  PurePath: paths.cls,
  PosixPath: paths.cls,
  PurePosixPath: paths.cls,
});

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

function joined(args: readonly Value[]): string {
  let path = '';
  for (const arg of args) {
    const next =
      paths.unwrap(arg) ?? stringArgument(arg, 'expected str, bytes or os.PathLike object');
    path = next.startsWith('/') ? next : path === '' ? next : `${path}/${next}`;
    payForText(path.length);
  }
  const whole = path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/');
  return path.startsWith('/') ? `/${whole}` : whole === '' ? '.' : whole;
}

function suffixOf(path: string): string {
  return /(?<=.)\.[^.]+$/.exec(nameOf(path))?.[0] ?? '';
}

function nameOf(path: string): string {
  return partsOf(path).findLast((part) => part !== '/') ?? '';
}

function partsOf(path: string): readonly string[] {
  return [
    ...(path.startsWith('/') ? ['/'] : []),
    ...path.split('/').filter((part) => part !== '' && part !== '.'),
  ];
}

function parentOf(path: string): string {
  const at = path.lastIndexOf('/');
  return at > 0 ? path.slice(0, at) : at === 0 ? '/' : '.';
}
