import { raise } from '../../errors.ts';
import { PyModule } from '../../objects/classes/module.ts';
import { defineClassMethod, defineGetters, nativeFunction } from '../../objects/classes/native.ts';
import { types } from '../../objects/types.ts';
import type { Value } from '../../objects/object.ts';
import type { PyClass } from '../../objects/class.ts';
import { autoClass } from './auto.ts';
import { EnumClass, enumType } from './class.ts';
import type { Traits } from './class.ts';
import { isSingleBit } from './flags.ts';
import { memberClass, nonmemberClass } from './marked.ts';
import { EnumMember } from './member.ts';
import './define.ts';

const PLAIN: Traits = { data: undefined, showsValue: false, boundary: undefined };

const enumBase = baseClass('Enum', [types.object]);
defineGetters(enumBase, EnumMember, { name: (self) => self.label, value: (self) => self.value });
defineClassMethod(enumBase, '_missing_(value)', () => null);
const reprBase = baseClass('ReprEnum', [enumBase], { showsValue: true });
const flagBase = baseClass('Flag', [enumBase], { boundary: 'strict' });
const strBase = baseClass('StrEnum', [types.str, reprBase], { data: types.str, showsValue: true });
const intBase = baseClass('IntEnum', [types.int, reprBase], { data: types.int, showsValue: true });
const intFlagBase = baseClass('IntFlag', [types.int, reprBase, flagBase], {
  data: types.int,
  showsValue: true,
  boundary: 'keep',
});

/**
 * An enumeration of the library or of an embedder. It is immutable, so that all evaluations may
 * share it.
 */
export function enumeration(
  name: string,
  module: string,
  base: EnumClass,
  members: readonly (readonly [string, Value])[],
  traits: Partial<Traits> = {},
): EnumClass {
  const made = new EnumClass(name, [base], { ...base.traits, ...traits }, { module });
  for (const [member, value] of members) {
    const one = new EnumMember(made);
    one.attributes.set('_value_', value);
    one.attributes.set('_name_', member);
    if (base.traits.data !== undefined) one.data = value;
    made.add(member, one, !made.isFlag || isSingleBit(value));
  }
  return made;
}

const boundaries = enumeration(
  'FlagBoundary',
  'enum',
  strBase,
  ['STRICT', 'CONFORM', 'EJECT', 'KEEP'].map((name) => [name, name.toLowerCase()]),
);

/** The module `enum`. */
export const enumModule = new PyModule('enum', [
  ['Enum', enumBase],
  ['ReprEnum', reprBase],
  ['IntEnum', intBase],
  ['StrEnum', strBase],
  ['Flag', flagBase],
  ['IntFlag', intFlagBase],
  ['FlagBoundary', boundaries],
  ...boundaries.members,
  ['EnumType', enumType],
  ['EnumMeta', enumType],
  ['auto', autoClass],
  ['unique', nativeFunction('unique(enumeration)', unique)],
  ['member', memberClass],
  ['nonmember', nonmemberClass],
  ['property', types.property],
]);

/** The base of enumerations without a built-in type. */
export { enumBase, intFlagBase };

function baseClass(
  name: string,
  bases: readonly PyClass[],
  traits: Partial<Traits> = {},
): EnumClass {
  const made = new EnumClass(name, bases, { ...PLAIN, ...traits }, { module: 'enum' });
  made.create = (cls) =>
    cls instanceof EnumClass
      ? new EnumMember(cls)
      : raise('TypeError', `cannot create '${cls.name}' instances`);
  return made;
}

/** `@unique`. @throws ValueError for aliases */
function unique(cls: Value): Value {
  if (!(cls instanceof EnumClass)) return raise('TypeError', 'unique() needs an enumeration');
  const aliases = [...cls.members].filter(([name, member]) => member.label !== name);
  if (aliases.length === 0) return cls;
  const told = aliases.map(([alias, member]) => `${alias} -> ${member.label ?? ''}`).join(', ');
  return raise('ValueError', `duplicate values found in ${cls.repr()}: ${told}`);
}
