import { raise } from '../errors.ts';
import { AbstractClass } from '../builtins/objects.ts';
import { stderr, stdout } from '../builtins/printing.ts';
import { PyBytes } from '../objects/collections/bytes.ts';
import { PyDict } from '../objects/collections/dict.ts';
import { PyInstance } from '../objects/classes/instance.ts';
import { PyList } from '../objects/collections/list.ts';
import { moduleOf } from '../objects/classes/module.ts';
import { nativeFunction, PyBuiltin } from '../objects/classes/native.ts';
import { PyFloat, asInt, asNumber, float } from '../objects/numbers/number.ts';
import { PyIterator, PyObject } from '../objects/object.ts';
import { PyClass } from '../objects/class.ts';
import { types } from '../objects/types.ts';
import type { Value } from '../objects/object.ts';
import { catching } from '../objects/protocol.ts';
import { PyRange } from '../objects/collections/range.ts';
import { PySet } from '../objects/collections/set.ts';
import { PyTuple } from '../objects/collections/tuple.ts';
import { now } from './datetime.ts';
import { typedNamedTuple } from './namedtuple.ts';

/** Small modules of the standard library, each a table. */
export const numbers = moduleOf('numbers', {
  Number: numberClass('Number', isNumber),
  Complex: numberClass('Complex', isNumber),
  Real: numberClass('Real', isNumber),
  Rational: numberClass('Rational', isIntegral),
  Integral: numberClass('Integral', isIntegral),
});

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
    v instanceof PyClass ||
    (v instanceof PyObject && [types.function, types.builtin, types.method].includes(v.cls)),
  Hashable: isHashable,
} as const;
const abstractClasses = Object.fromEntries(
  Object.entries(ABSTRACT).map(([name, accepts]) => [name, abstract(name, accepts)]),
);
export const collectionsAbc = moduleOf('collections.abc', abstractClasses);
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
export const future = moduleOf('__future__', {
  annotations: true,
  division: true,
  print_function: true,
});
export const abc = moduleOf('abc', { ABC: types.object, abstractmethod: same });
export const sys = moduleOf('sys', {
  maxsize: 9223372036854775807n,
  version: '3.11.7',
  platform: 'linux',
  byteorder: 'little',
  argv: new PyTuple([]),
  stdout,
  stderr,
  version_info: new PyTuple([3, 11, 7, 'final', 0]),
  float_info: new PyTuple([new PyFloat(1.7976931348623157e308)]),
});

function isNumber(v: Value): boolean {
  return asNumber(v) !== undefined;
}

function isIntegral(v: Value): boolean {
  return asInt(v) !== undefined;
}

function numberClass(name: string, accepts: (v: Value) => boolean): PyClass {
  return new AbstractClass(name, 'numbers', accepts);
}

function isIterable(v: Value): boolean {
  return (
    isCollection(v) ||
    v instanceof PyIterator ||
    (v instanceof PyInstance && v.cls.lookup('__iter__') !== undefined)
  );
}

function isCollection(v: Value): boolean {
  return isSequence(v) || isMapping(v) || isSet(v) || isView(v);
}

function isSequence(v: Value): boolean {
  return (
    typeof v === 'string' ||
    v instanceof PyBytes ||
    v instanceof PyList ||
    v instanceof PyTuple ||
    v instanceof PyRange ||
    (v instanceof PyObject && v.cls.label === 'collections.deque')
  );
}

function isMapping(v: Value): boolean {
  return v instanceof PyDict;
}

function isSet(v: Value): boolean {
  return v instanceof PySet;
}

function isView(v: Value): boolean {
  return v instanceof PyObject && /^o?dict_(?:keys|values|items)$/.test(v.cls.name);
}

/** Whether the class of a value has a hash; what is inside a tuple does not matter. */
function isHashable(v: Value): boolean {
  if (v instanceof PyTuple || !(v instanceof PyObject)) return true;
  return catching(['TypeError'], () => v.key()) !== undefined;
}

function abstract(name: string, accepts: (v: Value) => boolean): PyClass {
  return new AbstractClass(name, 'collections.abc', accepts);
}

/**
 * A name of `typing`: it can be subscripted and written in a union, and means nothing at run time.
 */
function hint(name: string): PyClass {
  return new AbstractClass(name, 'typing', () =>
    raise('TypeError', `typing.${name} cannot be used with isinstance()`),
  );
}
