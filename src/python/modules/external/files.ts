import { raise } from '../../errors.ts';
import { payForText } from '../../text/size.ts';
import { stringArgument } from '../../builtins/strings.ts';
import { PyDict } from '../../objects/collections/dict.ts';
import { exceptionNamed } from '../../objects/classes/exceptions.ts';
import { moduleOf } from '../../objects/classes/module.ts';
import { nativeFunction, PyBuiltin } from '../../objects/classes/native.ts';
import type { Value } from '../../objects/object.ts';
import { PyTuple } from '../../objects/collections/tuple.ts';
import { allRaising, UNAVAILABLE, raisingFunction } from './unavailable.ts';
export const osPath = moduleOf('os.path', {
  sep: '/',
  join: new PyBuiltin('join', joined),
  basename: nativeFunction('basename(p)', (p) => parts(p)[1]),
  dirname: nativeFunction('dirname(p)', (p) => parts(p)[0]),
  split: nativeFunction('split(p)', (p) => new PyTuple(parts(p))),
  splitext: nativeFunction('splitext(p)', (p) => new PyTuple(splitExtension(p))),
  isabs: nativeFunction('isabs(s)', (p) => stringArgument(p, 'path').startsWith('/')),
  exists: nativeFunction('exists(path)', () => false),
  isfile: nativeFunction('isfile(path)', () => false),
  isdir: nativeFunction('isdir(path)', () => false),
  getsize: raisingFunction('os.path.getsize', 'FileNotFoundError'),
  getmtime: raisingFunction('os.path.getmtime', 'FileNotFoundError'),
});
const FORBIDDEN = [
  ...'listdir scandir walk stat access readlink getcwd chdir open remove unlink mkdir makedirs rename symlink'.split(
    ' ',
  ),
  ...'system popen kill fork execv putenv'.split(' '),
];

/** `os.environ`: empty and immutable, because all evaluations share it. */
class EmptyEnvironment extends PyDict {
  override set(): never {
    return raise('PermissionError', `os.environ is ${UNAVAILABLE}`);
  }
}
export const os = moduleOf('os', {
  path: osPath,
  sep: '/',
  linesep: '\n',
  name: 'posix',
  environ: new EmptyEnvironment(),
  getenv: nativeFunction('getenv(key, default=)', (_key, fallback) => fallback ?? null),
  ...allRaising('os', FORBIDDEN),
  error: exceptionNamed('OSError'),
});

/** `os.path` on texts alone: it looks at no file. */
function parts(v: Value | undefined): [string, string] {
  const path = stringArgument(v, 'expected str, bytes or os.PathLike object');
  const at = path.lastIndexOf('/') + 1;
  const head = path.slice(0, at);
  return [/^\/+$/.test(head) ? head : head.replace(/\/+$/, ''), path.slice(at)];
}

function splitExtension(v: Value | undefined): [string, string] {
  const path = stringArgument(v, 'expected str, bytes or os.PathLike object');
  const found = /^(.*\/)?(\.*[^/]+?)(\.[^./]*)$/s.exec(path);
  return found === null ? [path, ''] : [`${found[1] ?? ''}${found[2] ?? ''}`, found[3] ?? ''];
}

function joined(args: readonly Value[]): string {
  let path = '';
  for (const arg of args) {
    const next = stringArgument(arg, 'expected str, bytes or os.PathLike object');
    path = next.startsWith('/')
      ? next
      : path === '' || path.endsWith('/')
        ? path + next
        : `${path}/${next}`;
  }
  payForText(path.length);
  return path;
}
