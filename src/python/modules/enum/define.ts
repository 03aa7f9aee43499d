import { ignoredIn, MarkedMember, isMemberEntry } from './marked.ts';
import { createEnumeration } from './functional.ts';
import type { Entries } from './functional.ts';
import { addMember, bareMaker } from './add-member.ts';
import { nextValue } from './next-value.ts';
import { raise } from '../../errors.ts';
import { tick } from '../../meter.ts';
import { extensible, implied } from '../../objects/classes/make-class.ts';
import type { Cell, ClassDefinition } from '../../objects/class.ts';
import { asText } from '../../objects/object.ts';
import { PyClass } from '../../objects/class.ts';
import { types } from '../../objects/types.ts';
import type { Kwargs, Value } from '../../objects/object.ts';
import { PyTuple } from '../../objects/collections/tuple.ts';
import { Auto, resolved } from './auto.ts';
import { EnumClass, hooks } from './class.ts';
import type { Boundary, Traits } from './class.ts';
import { flagOf } from './flags.ts';

const BOUNDARIES: readonly Boundary[] = ['strict', 'conform', 'eject', 'keep'];
const DATA: readonly PyClass[] = [types.int, types.float, types.str];
const MADE = new Set(['_ignore_', '_order_']);

hooks.define = define;
hooks.create = createEnumeration;
hooks.composed = (cls, value) => (cls.isFlag ? flagOf(cls, value) : undefined);
for (const data of DATA) data.specials = bareMaker(data);

/** The enumeration that a `class` statement defines. @throws TypeError, ValueError */
function define({
  named: { name, qualifiedName, module },
  bases,
  body,
  options,
}: ClassDefinition): PyClass {
  const first = bases.at(-1);
  for (const base of bases)
    if (base instanceof EnumClass && base.members.size > 0)
      raise('TypeError', `<enum '${name}'> cannot extend ${base.repr()}`);
  if (!(first instanceof EnumClass))
    return raise(
      'TypeError',
      'new enumerations should be created as `EnumName([mixin_type, ...] [data_type,] enum_type)`',
    );
  const parents = bases.map((base) =>
    base instanceof EnumClass || (base instanceof PyClass && DATA.includes(base))
      ? base
      : extensible(base),
  );
  tick(20);
  const cell: Cell = { cls: undefined };
  const entries = body(cell);
  const label = { qualifiedName, module: typeof module === 'string' ? module : 'builtins' };
  const made = new EnumClass(name, parents, traitsOf(first, bases, options), {
    isUser: true,
    ...label,
  });
  // The built-in type's own `create` would make a plain value.
  made.create = first.create;
  cell.cls = made;
  fill(made, entries);
  return made;
}

function traitsOf(first: EnumClass, others: readonly Value[], options: Kwargs): Traits {
  const mixed = others.find((base) => DATA.some((cls) => cls === base));
  const data = first.traits.data ?? (mixed instanceof PyClass ? mixed : undefined);
  const given = asText(options.get('boundary'));
  const boundary = BOUNDARIES.find((one) => one === given) ?? first.traits.boundary;
  return { ...first.traits, data, boundary: first.isFlag ? boundary : undefined };
}

/**
 * Puts the names of a class body into the class: plain attributes first, because members may need
 * its methods.
 */
function fill(cls: EnumClass, entries: Entries): void {
  const ignored = ignoredIn(entries);
  const members: [string, Value][] = [];
  for (const [name, value] of entries) {
    if (value === undefined || ignored.has(name) || MADE.has(name)) continue;
    if (isMemberEntry(cls, name, value))
      members.push([name, value instanceof MarkedMember ? value.value : value]);
    else cls.dict.set(name, implied(name, value instanceof MarkedMember ? value.value : value));
  }
  const before: Value[] = [];
  for (const [name, value] of members) {
    tick(10 + cls.members.size);
    if (name === 'mro' || name === '') raise('ValueError', `invalid enum member name(s) '${name}'`);
    const next = (): Value => nextValue(cls, name, before.length, before);
    const settled =
      value instanceof PyTuple && value.items.some((item) => item instanceof Auto)
        ? new PyTuple(value.items.map((item) => resolved(item, next)))
        : resolved(value, next);
    before.push(
      settled instanceof PyTuple && value instanceof PyTuple && value !== settled
        ? (settled.items[0] ?? null)
        : settled,
    );
    addMember(cls, name, settled);
  }
}
