import { raise } from '../errors.ts';
import { PyList } from '../objects/collections/list.ts';
import { defineGetters, defineMethods } from '../objects/classes/native.ts';
import { indexOf } from '../objects/numbers/number.ts';
import { typeName, types } from '../objects/types.ts';
import type { Value } from '../objects/object.ts';
import { items } from '../objects/protocol.ts';
import { PyBytes } from '../objects/collections/bytes.ts';
import { decoded } from '../text/encodings.ts';
import { PyRange } from '../objects/collections/range.ts';
import { PySlice } from '../objects/collections/slice.ts';
import { PyTuple } from '../objects/collections/tuple.ts';
import { str } from '../text/repr.ts';

types.list.create = (_cls, args) =>
  new PyList(args[0] === undefined ? [] : items(atMostOne('list', args)));
types.tuple.create = (_cls, args) =>
  new PyTuple(args[0] === undefined ? [] : items(atMostOne('tuple', args)));
const STR_KEYWORDS = ['object', 'encoding', 'errors'];
types.str.create = (_cls, args, kwargs) => {
  if (args.length > 3) raise('TypeError', `str() takes at most 3 arguments (${args.length} given)`);
  const strange = [...(kwargs?.keys() ?? [])].find((name) => !STR_KEYWORDS.includes(name));
  if (strange !== undefined)
    raise('TypeError', `'${strange}' is an invalid keyword argument for str()`);
  const [value, encoding, errors] = STR_KEYWORDS.map((name, i) => args[i] ?? kwargs?.get(name));
  if (encoding !== undefined || errors !== undefined) {
    if (value instanceof PyBytes) return decoded(value.data, encoding, errors);
    raise(
      'TypeError',
      `decoding to str: need a bytes-like object, ${typeName(args[0] ?? null)} found`,
    );
  }
  return value === undefined ? (args[0] === null ? 'None' : '') : str(value);
};
types.range.create = (_cls, [first, second, third, ...more]) => {
  if (first === undefined) return raise('TypeError', 'range expected at least 1 argument, got 0');
  if (more.length > 0)
    raise('TypeError', `range expected at most 3 arguments, got ${3 + more.length}`);
  return second === undefined
    ? PyRange.of(0, first, 1)
    : PyRange.of(first, second, third === undefined ? 1 : third);
};
defineGetters(types.range, PyRange, {
  start: (self) => self.start,
  stop: (self) => self.stop,
  step: (self) => self.step,
});
defineMethods(types.slice, PySlice, {
  'indices(object, /)': (self, length: Value) => {
    const n = indexOf(length);
    if (n < 0) raise('ValueError', 'length should not be negative');
    const { start, stop, step } = self.over(n);
    return new PyTuple([start, stop, step]);
  },
});
types.slice.create = (_cls, [first = null, second, third]) =>
  second === undefined ? new PySlice(null, first, null) : new PySlice(first, second, third ?? null);

function atMostOne(name: string, args: readonly Value[]): Value {
  return args.length > 1
    ? raise('TypeError', `${name} expected at most 1 argument, got ${args.length}`)
    : (args[0] ?? null);
}
