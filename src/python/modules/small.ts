import { raise } from '../errors.ts';
import { tick } from '../frame.ts';
import { AbstractClass } from '../builtins/objects.ts';
import { PyDict } from '../objects/dict.ts';
import { PyGenerator } from '../objects/generator.ts';
import { PyInstance } from '../objects/instance.ts';
import { PyList } from '../objects/list.ts';
import { moduleOf } from '../objects/module.ts';
import { nativeFunction, PyBuiltin } from '../objects/native.ts';
import { PyFloat, asInt, asNumber, float } from '../objects/number.ts';
import { PyClass, PyIterator, PyObject, typeName, types } from '../objects/object.ts';
import type { Value } from '../objects/object.ts';
import { catching, items } from '../objects/protocol.ts';
import { PyRange } from '../objects/range.ts';
import { PySet } from '../objects/set.ts';
import { PyTuple } from '../objects/tuple.ts';
import { text } from '../builtins/strings.ts';
import { capitalized } from '../text/case.ts';
import { SPACES } from '../text/characters.ts';
import { now } from './datetime.ts';
import { typedNamedTuple } from './namedtuple.ts';

const SPACE = new RegExp(`[${SPACES}]+`, 'u');

/** Small modules of the standard library, each a table. */

/** What a shallow or deep copy of a value is; immutable values are their own copies. */
function copied(v: Value, inner: (v: Value) => Value): Value {
  tick(1);
  if (v instanceof PyList) return new PyList(v.items.map((item) => inner(item)));
  if (v instanceof PyDict)
    return v.like(v.pairs().map(([key, value]) => [key, inner(value)] as const));
  if (v instanceof PySet) return v.frozen ? v : v.copy(false);
  if (v instanceof PyTuple && v.cls === types.tuple) return new PyTuple(v.items.map((item) => inner(item)));
  if (!(v instanceof PyInstance) || v.constructor !== PyInstance) return v;
  const own = v.special('__copy__');
  if (own !== undefined) return own;
  const made = new PyInstance(v.cls);
  for (const [name, value] of v.attributes) made.attributes.set(name, inner(value));
  return made;
}

/** Copies all the way down; an object met twice is copied once, so cycles end. */
function deepCopied(v: Value, known: Map<Value, Value>): Value {
  const done = known.get(v);
  if (done !== undefined) return done;
  if (v instanceof PyList) {
    const made = new PyList([]);
    known.set(v, made);
    for (const item of v.items) made.items.push(deepCopied(item, known));
    return made;
  }
  if (v instanceof PyDict) {
    const made = v.like([]);
    known.set(v, made);
    for (const [key, value] of v.pairs()) made.set(key, deepCopied(value, known));
    return made;
  }
  if (v instanceof PyGenerator || (v instanceof PyObject && /^o?dict_(?:keys|values|items)$/.test(v.cls.name)))
    raise('TypeError', `cannot pickle '${typeName(v)}' object`);
  const made = copied(v, (inner) => deepCopied(inner, known));
  known.set(v, made);
  return made;
}

export const copy = moduleOf('copy', {
  copy: nativeFunction('copy(x)', (v: Value) => copied(v, (inner) => inner)),
  deepcopy: nativeFunction('deepcopy(x, memo=)', (v: Value) => deepCopied(v, new Map())),
});

/** A shell pattern as a regular expression: `*`, `?`, `[seq]`, `[!seq]`. */
function shellPattern(pattern: string): RegExp {
  tick(pattern.length);
  const source = pattern.replace(/\[!?\]?[^\]]*\]|[\s\S]/gu, (piece) => {
    if (piece === '*') return '[\\s\\S]*';
    if (piece === '?') return '[\\s\\S]';
    if (piece.length < 2 || !piece.startsWith('[')) return piece.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
    const inside = piece
      .slice(1, -1)
      .replace(/[\\\][^]/g, '\\$&')
      .replace(/^!/, '^');
    return `[${inside}]`;
  });
  try {
    return new RegExp(`^${source.replaceAll('[\\s\\S]*[\\s\\S]*', '[\\s\\S]*')}$`, 'u');
  } catch {
    return raise('ValueError', `bad pattern ${pattern}`);
  }
}

const matchesShell = nativeFunction('fnmatch(name, pat)', (name: Value, pattern: Value) =>
  shellPattern(text(pattern, 'pattern')).test(text(name, 'name')),
);
export const fnmatch = moduleOf('fnmatch', {
  fnmatch: matchesShell,
  fnmatchcase: matchesShell,
  filter: nativeFunction('filter(names, pat)', (names: Value, pattern: Value) => {
    const expression = shellPattern(text(pattern, 'pattern'));
    return new PyList(items(names).filter((name) => expression.test(text(name, 'name'))));
  }),
});

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();
const DIGITS = '0123456789';
const PUNCTUATION = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~';
const WHITESPACE = ' \t\n\r\v\f';
export const string = moduleOf('string', {
  ascii_lowercase: LOWER,
  ascii_uppercase: UPPER,
  ascii_letters: LOWER + UPPER,
  digits: DIGITS,
  hexdigits: `${DIGITS}abcdefABCDEF`,
  octdigits: '01234567',
  punctuation: PUNCTUATION,
  whitespace: WHITESPACE,
  printable: DIGITS + LOWER + UPPER + PUNCTUATION + WHITESPACE,
  capwords: nativeFunction('capwords(s, sep=)', (s: Value, sep) => {
    const separator = sep === undefined || sep === null ? undefined : text(sep, 'capwords() argument');
    const words = text(s, 'capwords() argument').split(separator ?? SPACE);
    const kept = separator === undefined ? words.filter((word) => word !== '') : words;
    return kept.map(capitalized).join(separator ?? ' ');
  }),
});

const isNumber = (v: Value): boolean => asNumber(v) !== undefined;
const isIntegral = (v: Value): boolean => asInt(v) !== undefined;
const numberClass = (name: string, accepts: (v: Value) => boolean): PyClass =>
  new AbstractClass(name, 'numbers', accepts);
export const numbers = moduleOf('numbers', {
  Number: numberClass('Number', isNumber),
  Complex: numberClass('Complex', isNumber),
  Real: numberClass('Real', isNumber),
  Rational: numberClass('Rational', isIntegral),
  Integral: numberClass('Integral', isIntegral),
});

const abstract = (name: string, accepts: (v: Value) => boolean): PyClass =>
  new AbstractClass(name, 'collections.abc', accepts);
const isSequence = (v: Value): boolean =>
  typeof v === 'string' ||
  v instanceof PyList ||
  v instanceof PyTuple ||
  v instanceof PyRange ||
  (v instanceof PyObject && v.cls.label === 'collections.deque');
const isMapping = (v: Value): boolean => v instanceof PyDict;
const isSet = (v: Value): boolean => v instanceof PySet;
const isView = (v: Value): boolean => v instanceof PyObject && /^o?dict_(?:keys|values|items)$/.test(v.cls.name);
const isCollection = (v: Value): boolean => isSequence(v) || isMapping(v) || isSet(v) || isView(v);
const isIterable = (v: Value): boolean =>
  isCollection(v) || v instanceof PyIterator || (v instanceof PyInstance && v.cls.lookup('__iter__') !== undefined);
/** Whether the class of a value has a hash; what is inside a tuple does not matter. */
function isHashable(v: Value): boolean {
  if (v instanceof PyTuple || !(v instanceof PyObject)) return true;
  return catching(['TypeError'], () => v.key()) !== undefined;
}

const ABSTRACT = {
  Sequence: isSequence,
  MutableSequence: (v: Value) => v instanceof PyList,
  Mapping: isMapping,
  MutableMapping: isMapping,
  Set: isSet,
  MutableSet: isSet,
  Collection: isCollection,
  Container: isCollection,
  Sized: isCollection,
  Iterable: isIterable,
  Iterator: (v: Value) => v instanceof PyIterator,
  Generator: (v: Value) => v instanceof PyObject && v.cls === types.generator,
  Callable: (v: Value) =>
    v instanceof PyClass || (v instanceof PyObject && [types.function, types.builtin, types.method].includes(v.cls)),
  Hashable: isHashable,
} as const;
const abstractClasses = Object.fromEntries(
  Object.entries(ABSTRACT).map(([name, accepts]) => [name, abstract(name, accepts)]),
);
export const collectionsAbc = moduleOf('collections.abc', abstractClasses);

/** A name of `typing`: it can be subscripted and written in a union, and means nothing at run time. */
const hint = (name: string): PyClass =>
  new AbstractClass(name, 'typing', () => raise('TypeError', `typing.${name} cannot be used with isinstance()`));
const HINTS = [
  'Any',
  'Optional',
  'Union',
  'Literal',
  'ClassVar',
  'Final',
  'Annotated',
  'NoReturn',
  'Type',
  'TypeAlias',
  'Protocol',
  'Self',
  'AnyStr',
  'Text',
  'SupportsFloat',
  'SupportsInt',
];
const same = nativeFunction('same(x, /)', (v: Value) => v);
export const typing = moduleOf('typing', {
  ...abstractClasses,
  ...Object.fromEntries(HINTS.map((name) => [name, hint(name)])),
  List: types.list,
  Dict: types.dict,
  Tuple: types.tuple,
  FrozenSet: types.frozenset,
  NamedTuple: typedNamedTuple,
  TYPE_CHECKING: false,
  cast: nativeFunction('cast(typ, val)', (_type, v: Value) => v),
  TypeVar: new PyBuiltin('TypeVar', ([name]) => hint(typeof name === 'string' ? name : 'T')),
  NewType: nativeFunction('NewType(name, tp)', () => same),
  overload: same,
  final: same,
  no_type_check: same,
});

export const time = moduleOf('time', {
  time: nativeFunction('time()', () => float(now() / 1000)),
  time_ns: nativeFunction('time_ns()', () => {
    const micros = BigInt(Math.round(now() * 1000)) * 1000n;
    return micros > 9007199254740991n ? micros : Number(micros);
  }),
  monotonic: nativeFunction('monotonic()', () => float(now() / 1000)),
  perf_counter: nativeFunction('perf_counter()', () => float(now() / 1000)),
  sleep: nativeFunction('sleep(secs, /)', () => null),
});

/** The modules that only mark or configure code. */
export const future = moduleOf('__future__', { annotations: true, division: true, print_function: true });
export const abc = moduleOf('abc', { ABC: types.object, abstractmethod: same });
export const sys = moduleOf('sys', {
  maxsize: 9223372036854775807n,
  version: '3.11.7',
  platform: 'linux',
  byteorder: 'little',
  argv: new PyTuple([]),
  version_info: new PyTuple([3, 11, 7, 'final', 0]),
  float_info: new PyTuple([new PyFloat(1.7976931348623157e308)]),
});
