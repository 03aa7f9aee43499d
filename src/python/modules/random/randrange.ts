import type { RandomSource } from './source.ts';
import { raise } from '../../errors.ts';
import { asFloat, asIndex, asInt, integer } from '../../objects/numbers/number.ts';
import { typeName } from '../../objects/types.ts';
import type { Value } from '../../objects/object.ts';

/** A number of `range(start, stop, step)`, which may be of any size: the range is never made. */
export function randrange(
  self: RandomSource,
  start: Value,
  stop: Value | undefined,
  step: Value | undefined,
): Value {
  const first = whole(start, 'arg 1');
  if (stop === undefined || stop === null) {
    if (step !== undefined) raise('TypeError', 'Missing a non-None stop argument');
    return first > 0n ? integer(self.below(first)) : raise('ValueError', EMPTY);
  }
  const last = whole(stop, 'stop');
  const width = last - first;
  const by = whole(step ?? 1, 'step');
  if (by === 1n && width <= 0n) raise('ValueError', `${EMPTY} (${first}, ${last}, ${width})`);
  if (by === 0n) raise('ValueError', 'zero step for randrange()');
  const count = (width + by + (by > 0n ? -1n : 1n)) / by;
  if (count <= 0n) raise('ValueError', EMPTY);
  return integer(first + by * self.below(count));
}

const EMPTY = 'empty range for randrange()';

/** An int; CPython 3.11 still takes a float that is whole. @throws ValueError, TypeError */
function whole(v: Value, what: string): bigint {
  const real = asInt(v) === undefined ? asFloat(v) : undefined;
  if (real === undefined)
    return BigInt(
      asIndex(v) ??
        raise(
          'TypeError',
          `int() argument must be a string, a bytes-like object or a real number, not '${typeName(v)}'`,
        ),
    );
  return Number.isInteger(real)
    ? BigInt(real)
    : raise('ValueError', `non-integer ${what} for randrange()`);
}
