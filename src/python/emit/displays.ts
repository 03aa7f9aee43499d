import { raise } from '../errors.ts';
import { exhausted, meter } from '../meter.ts';
import { builtins } from '../builtins/table.ts';
import { PyDict } from '../objects/collections/dict.ts';
import { PyList } from '../objects/collections/list.ts';
import { PyObject } from '../objects/object.ts';
import { typeName } from '../objects/types.ts';
import type { Kwargs, Value } from '../objects/object.ts';
import { call, catching, getAttribute, items, iterate } from '../objects/protocol.ts';

/** A dict display; an entry with one element is `**mapping`. */
export function dict(entries: readonly (readonly [Value, Value] | readonly [Value])[]): PyDict {
  const made = new PyDict();
  for (const [key, value] of entries) {
    if (value !== undefined) made.set(key, value);
    else for (const [k, v] of mapping(key)) made.set(k, v);
  }
  return made;
}

/** The operand of `**` in a dict display, checked in its place. @throws TypeError */
export function mappingOf(v: Value): Value {
  const isMapping =
    v instanceof PyDict || (v instanceof PyObject && v.attribute('keys') !== undefined);
  return isMapping ? v : raise('TypeError', `'${typeName(v)}' object is not a mapping`);
}

/** The keyword arguments of a call. */
export function keywords(
  entries: readonly (readonly [string, Value] | readonly [Value])[],
): Kwargs {
  const made = new Map<string, Value>();
  const put = (key: Value, value: Value): void => {
    if (typeof key !== 'string') raise('TypeError', 'keywords must be strings');
    if (made.has(key)) raise('TypeError', `got multiple values for keyword argument '${key}'`);
    made.set(key, value);
  };
  for (const [key, value] of entries) {
    if (value !== undefined) put(key, value);
    else for (const [k, v] of mapping(key)) put(k, v);
  }
  return made;
}

/** The parts for `count` targets; the target at `star` (if not -1) takes the rest as a list. */
export function unpackValues(value: Value, count: number, star: number): Value[] {
  if (!(value instanceof PyObject) && typeof value !== 'string')
    raise('TypeError', `cannot unpack non-iterable ${typeName(value)} object`);
  const iterator = iterate(value);
  const parts: Value[] = [];
  const wanted = star < 0 ? count : count - 1;
  for (let item = iterator.next(); item !== undefined; item = iterator.next()) {
    meter.left -= 1;
    if (meter.left < 0) exhausted();
    parts.push(item);
    if (star < 0 && parts.length > count)
      raise('ValueError', `too many values to unpack (expected ${count})`);
  }
  if (parts.length < wanted) {
    raise(
      'ValueError',
      `not enough values to unpack (expected ${star < 0 ? '' : 'at least '}${wanted}, got ${parts.length})`,
    );
  }
  if (star < 0) return parts;
  const tail = count - 1 - star;
  return [
    ...parts.slice(0, star),
    new PyList(parts.slice(star, parts.length - tail)),
    ...parts.slice(parts.length - tail),
  ];
}

/** The elements of `*value` in a display or a call. */
export function spread(value: Value): Value[] {
  const isIterable =
    typeof value === 'string' ||
    (value instanceof PyObject && catching(['TypeError'], () => value.iterate()) !== undefined);
  return isIterable
    ? items(value)
    : raise('TypeError', `Value after * must be an iterable, not ${typeName(value)}`);
}

/** `locals()` and `globals()`: a copy; a later entry replaces an earlier one of the same name. */
export function namespace(entries: Iterable<readonly [string, Value | undefined]>): PyDict {
  const made = new PyDict();
  for (const [name, value] of entries)
    if (value !== undefined && (made.contains(name) || value !== builtins.get(name)))
      made.set(name, value);
  return made;
}

/** The pairs of the operand of `**`. */
function mapping(v: Value): [Value, Value][] {
  if (v instanceof PyDict) return v.pairs();
  if (!(v instanceof PyObject) || v.attribute('keys') === undefined)
    return raise('TypeError', `'${typeName(v)}' object is not a mapping`);
  return items(call(getAttribute(v, 'keys'), [])).map((key) => [key, v.item(key)]);
}
