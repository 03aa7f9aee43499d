import { abstractClasses } from './collections-abc.ts';
import { raise } from '../errors.ts';
import { AbstractClass } from '../builtins/class-tests.ts';
import { abstractBase, markAbstract } from '../objects/classes/abstract.ts';
import { moduleOf } from '../objects/classes/module.ts';
import { nativeFunction, PyBuiltin } from '../objects/classes/native.ts';
import type { PyClass } from '../objects/class.ts';
import { types } from '../objects/types.ts';
import type { Value } from '../objects/object.ts';
import { typedNamedTuple } from './namedtuple.ts';

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
export const abc = moduleOf('abc', {
  ABC: abstractBase,
  abstractmethod: nativeFunction('abstractmethod(funcobj)', markAbstract),
});

/**
 * A name of `typing`: it may be subscripted and written in a union, and has no effect at run time.
 */
function hint(name: string): PyClass {
  return new AbstractClass(name, 'typing', () =>
    raise('TypeError', `typing.${name} cannot be used with isinstance()`),
  );
}
