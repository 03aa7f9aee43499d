import { shownOf, subject, substituted, split, count } from './substitution.ts';
import { raise } from '../../errors.ts';
import { PyList } from '../../objects/collections/list.ts';
import { moduleOf } from '../../objects/classes/module.ts';
import type { PyModule } from '../../objects/classes/module.ts';
import { nativeFunction } from '../../objects/classes/native.ts';
import { indexOf } from '../../objects/numbers/number.ts';
import { PyObject } from '../../objects/object.ts';
import type { Value } from '../../objects/object.ts';
import { iteratorOf } from '../../objects/collections/iterator.ts';
import { PyTuple } from '../../objects/collections/tuple.ts';
import { Pattern, matchClass, patternClass } from './compiled-pattern.ts';
import { flagClass } from './flag-class.ts';
import { regexError } from './error.ts';
import './methods.ts';

/** A flag for patterns of bytes, which there are none of. */
const LOCALE = 4;

/** Recently compiled patterns, as CPython caches them; use never changes them. */
const cache = new Map<string, Pattern>();

/** The module `re`. */
export const re: PyModule = moduleOf('re', {
  ...Object.fromEntries(flagClass.members),
  RegexFlag: flagClass,
  error: regexError,
  Pattern: patternClass,
  Match: matchClass,
  compile: nativeFunction('compile(pattern, flags=)', (pattern: Value, flags) =>
    compiled(pattern, flags),
  ),
  match: finder('match'),
  search: finder('search'),
  fullmatch: finder('fullmatch'),
  findall: nativeFunction(
    'findall(pattern, string, flags=)',
    (pattern: Value, text, flags) =>
      new PyList([...compiled(pattern, flags).all(subject(text))].map(shownOf)),
  ),
  finditer: nativeFunction('finditer(pattern, string, flags=)', (pattern: Value, text, flags) =>
    iteratorOf('callable_iterator', compiled(pattern, flags).all(subject(text))),
  ),
  sub: nativeFunction(
    'sub(pattern, repl, string, count=, flags=)',
    (pattern: Value, by: Value, text, limit, flags) =>
      substituted(compiled(pattern, flags), by, text, count(limit))[0],
  ),
  subn: nativeFunction(
    'subn(pattern, repl, string, count=, flags=)',
    (pattern: Value, by: Value, text, limit, flags) =>
      new PyTuple(substituted(compiled(pattern, flags), by, text, count(limit))),
  ),
  split: nativeFunction(
    'split(pattern, string, maxsplit=, flags=)',
    (pattern: Value, text, limit, flags) =>
      new PyList(split(compiled(pattern, flags), subject(text), count(limit))),
  ),
  escape: nativeFunction('escape(pattern)', (text: Value) =>
    subject(text).replace(/[()[\]{}?*+\-|^$\\.&~# \t\n\r\v\f]/g, (c) => `\\${c}`),
  ),
  purge: nativeFunction('purge()', () => {
    cache.clear();
    return null;
  }),
});

function finder(how: 'search' | 'match' | 'fullmatch'): Value {
  return nativeFunction(
    `${how}(pattern, string, flags=)`,
    (pattern: Value, text, flags) => compiled(pattern, flags).find(subject(text), 0, how) ?? null,
  );
}

/** A pattern, compiled from text if necessary. @throws re.error */
function compiled(v: Value, flags?: Value): Pattern {
  if (v instanceof Pattern && flags !== undefined && indexOf(flags) !== 0)
    raise('ValueError', 'cannot process flags argument with a compiled pattern');
  if (v instanceof Pattern) return v;
  if (v instanceof PyObject) v.key();
  if (typeof v !== 'string')
    return raise('TypeError', 'first argument must be string or compiled pattern');
  const bits = flags === undefined ? 0 : indexOf(flags);
  if ((bits & LOCALE) !== 0) raise('ValueError', 'cannot use LOCALE flag with a str pattern');
  const key = `${bits}:${v}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  const made = new Pattern(v, bits);
  if (cache.size > 200) cache.clear();
  cache.set(key, made);
  return made;
}
