import { raise } from '../../errors.ts';
import { PyUnboundMethod, PyProperty } from '../../objects/classes/descriptors.ts';
import { PyFunction } from '../../objects/classes/function.ts';
import { PyInstance } from '../../objects/classes/instance.ts';
import { PyObject } from '../../objects/object.ts';
import { PyClass } from '../../objects/class.ts';
import { types } from '../../objects/types.ts';
import type { Value } from '../../objects/object.ts';
import { repr, str } from '../../text/repr.ts';
import type { EnumClass } from './class.ts';
import type { Entries } from './functional.ts';
import { items } from '../../objects/protocol.ts';

/** Names with one underscore at each end that control an enumeration. */
const SUNDER = new Set([
  '_order_',
  '_generate_next_value_',
  '_numeric_repr_',
  '_missing_',
  '_ignore_',
]);

/** Marks a value of a class body as a member, or as no member. */
export class MarkedMember extends PyObject {
  readonly cls: PyClass;
  readonly value: Value;
  constructor(cls: PyClass, value: Value) {
    super();
    this.cls = cls;
    this.value = value;
  }
}
export const memberClass = markerClass('member');
export const nonmemberClass = markerClass('nonmember');

export function isMemberEntry(cls: EnumClass, name: string, value: Value): boolean {
  if (/^__.*__$/.test(name) || name.startsWith(`_${cls.name.replace(/^_+/, '')}__`)) return false;
  if (/^_[^_].*[^_]_$|^_[^_]_$/.test(name)) {
    if (!SUNDER.has(name))
      raise(
        'ValueError',
        `_sunder_ names, such as ${repr(name)}, are reserved for future Enum use`,
      );
    return false;
  }
  if (value instanceof MarkedMember) return value.cls === memberClass;
  return !isDescriptor(value);
}

export function ignoredIn(entries: Entries): ReadonlySet<string> {
  const given = entries.find(([name]) => name === '_ignore_')?.[1];
  if (given === undefined) return new Set();
  return new Set(
    typeof given === 'string' ? given.replaceAll(',', ' ').split(/\s+/) : items(given).map(str),
  );
}

function isDescriptor(v: Value): boolean {
  return (
    v instanceof PyFunction ||
    v instanceof PyProperty ||
    v instanceof PyUnboundMethod ||
    (v instanceof PyInstance && v.cls.definesSpecial('__get__'))
  );
}

function markerClass(name: string): PyClass {
  return new PyClass(name, [types.object], {
    module: 'enum',
    create: (cls, [value = null]) => new MarkedMember(cls, value),
  });
}
