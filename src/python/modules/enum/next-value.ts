import { raise } from '../../errors.ts';
import { add, binary } from '../../objects/numbers/arithmetic.ts';
import { equals, sorted } from '../../objects/compare.ts';
import { PyUnboundMethod } from '../../objects/classes/descriptors.ts';
import { PyList } from '../../objects/collections/list.ts';
import { PyBuiltin } from '../../objects/classes/native.ts';
import { asInt, bitLength } from '../../objects/numbers/number.ts';
import { PyObject } from '../../objects/object.ts';
import { types } from '../../objects/types.ts';
import type { Value } from '../../objects/object.ts';
import { call, catching } from '../../objects/protocol.ts';
import { repr } from '../../text/repr.ts';
import type { EnumClass } from './class.ts';

/** The value of `auto()`. */
export function nextValue(
  cls: EnumClass,
  name: string,
  count: number,
  before: readonly Value[],
): Value {
  const own = cls.lookup('_generate_next_value_');
  const fn = own instanceof PyUnboundMethod ? own.describe(null, cls) : own;
  if (fn instanceof PyObject && !(fn instanceof PyBuiltin))
    return call(fn, [name, 1, count, new PyList([...before])]);
  if (cls.traits.showsValue && cls.traits.data === types.str) return name.toLowerCase();
  if (cls.isFlag) return nextFlag(count, before);
  const last = before.at(-1);
  if (last === undefined) return 1;
  const inOrder = catching(['TypeError'], () => sorted(before, undefined, false));
  const isLargest = inOrder !== undefined && equals(inOrder.at(-1) ?? null, last);
  const candidates = isLargest ? [last] : [...(inOrder ?? before)].reverse();
  const following = candidates.map((v) => catching(['TypeError'], () => add(v, 1)));
  return following.find((v) => v !== undefined) ?? 1;
}

function nextFlag(count: number, before: readonly Value[]): Value {
  if (count === 0 || before.length === 0) return 1;
  const largest = sorted(before, undefined, false).at(-1) ?? null;
  const int = asInt(largest);
  return int === undefined
    ? raise('TypeError', `invalid flag value ${repr(largest)}`)
    : binary('**', 2, int > 0 ? bitLength(int) : 0);
}
