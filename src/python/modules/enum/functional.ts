import { nextValue } from './next-value.ts';
import { raise } from '../../errors.ts';
import { frame } from '../../frame.ts';
import { tick } from '../../meter.ts';
import { PyDict } from '../../objects/collections/dict.ts';
import { PyList } from '../../objects/collections/list.ts';
import { asText } from '../../objects/object.ts';
import { typeName, types } from '../../objects/types.ts';
import type { Kwargs, Value } from '../../objects/object.ts';
import { items } from '../../objects/protocol.ts';
import { PyTuple } from '../../objects/collections/tuple.ts';
import { repr, str } from '../../text/repr.ts';
import { hooks } from './class.ts';
import type { EnumClass } from './class.ts';

/** What a class body defines, in order. */
export type Entries = readonly (readonly [string, Value | undefined])[];

/** `Enum('Color', 'RED GREEN')`: names, whose values count up, or pairs of name and value. */
export function createEnumeration(
  cls: EnumClass,
  args: readonly Value[],
  kwargs: Kwargs | undefined,
): Value {
  const [name = kwargs?.get('value') ?? null, given = kwargs?.get('names') ?? null] = args;
  const start = kwargs?.get('start') ?? 1;
  const type = kwargs?.get('type') ?? null;
  const list =
    typeof given === 'string'
      ? given
          .replaceAll(',', ' ')
          .split(/\s+/)
          .filter((part) => part !== '')
      : items(given);
  // The type of the first element decides for all.
  const areNames =
    typeof list[0] === 'string' &&
    (typeof given === 'string' || given instanceof PyList || given instanceof PyTuple);
  const before: Value[] = [];
  const bases = type === null ? [cls] : [type, cls];
  const entries = (): Entries =>
    distinct(
      list.map((entry, count): readonly [string, Value] => {
        if (given instanceof PyDict && typeof entry === 'string') return [entry, given.item(entry)];
        if (!areNames || typeof entry !== 'string') return pair(items(entry));
        const counted =
          before.length === 0 && !(cls.traits.showsValue && cls.traits.data === types.str)
            ? start
            : nextValue(cls, entry, count, before);
        before.push(counted);
        return [entry, counted];
      }),
    );
  const named = {
    name: str(name),
    qualifiedName: str(name),
    module: kwargs?.get('module') ?? frame.module,
  };
  return hooks.define({
    named,
    bases,
    body: entries,
    options: new Map([...(kwargs ?? [])].filter(([key]) => key === 'boundary')),
  });
}

/** @throws TypeError for a repeated name */
function distinct(entries: readonly (readonly [string, Value])[]): Entries {
  for (const [i, [name]] of entries.entries()) {
    tick(i >> 4);
    const earlier = entries.slice(0, i).find(([known]) => known === name);
    if (earlier !== undefined)
      raise('TypeError', `${repr(name)} already defined as ${repr(earlier[1])}`);
  }
  return entries;
}

function pair(parts: readonly Value[]): readonly [string, Value] {
  const [name = null, value = null] = parts;
  if (parts.length < 2)
    raise('ValueError', `not enough values to unpack (expected 2, got ${parts.length})`);
  if (parts.length > 2) raise('ValueError', 'too many values to unpack (expected 2)');
  return [
    asText(name) ?? raise('TypeError', `object of type '${typeName(name)}' has no len()`),
    value,
  ];
}
