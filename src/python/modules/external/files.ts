import { raise } from '../../errors.ts';
import { PyDict } from '../../objects/collections/dict.ts';
import { exceptionNamed } from '../../objects/classes/exceptions.ts';
import { moduleOf } from '../../objects/classes/module.ts';
import { nativeFunction } from '../../objects/classes/native.ts';
import { osPath } from './os-path.ts';
import { pathText } from './path-text.ts';
import { allRaising, UNAVAILABLE } from './unavailable.ts';

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
  ...Object.fromEntries(
    ['sep', 'pathsep', 'extsep', 'altsep', 'curdir', 'pardir', 'devnull'].map((name) => [
      name,
      osPath.members.get(name) ?? null,
    ]),
  ),
  linesep: '\n',
  name: 'posix',
  environ: new EmptyEnvironment(),
  getenv: nativeFunction('getenv(key, default=)', (_key, fallback) => fallback ?? null),
  fspath: nativeFunction('fspath(path)', (path) => pathText(path)),
  ...allRaising('os', FORBIDDEN),
  error: exceptionNamed('OSError'),
});
