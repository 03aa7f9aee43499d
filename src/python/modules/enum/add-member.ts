import { raise } from '../../errors.ts';
import { PyBuiltin } from '../../objects/classes/native.ts';
import { PyObject, asText } from '../../objects/object.ts';
import type { PyClass } from '../../objects/class.ts';
import { types } from '../../objects/types.ts';
import type { Value } from '../../objects/object.ts';
import { call } from '../../objects/protocol.ts';
import { repr } from '../../text/repr.ts';
import { EnumClass, argumentsOf } from './class.ts';
import { EnumMember } from './member.ts';
import { isSingleBit } from './flags.ts';

export function addMember(cls: EnumClass, name: string, value: Value): void {
  const made = instanceOf(cls, value);
  made.attributes.set('_name_', name);
  const init = cls.definesSpecial('__init__') ? cls.lookupFor(made, '__init__') : undefined;
  if (init instanceof PyObject) call(init, argumentsOf(value));
  const known = cls.memberOf(made.value);
  const isCanonical = known === undefined && (!cls.isFlag || isSingleBit(made.value));
  cls.add(name, known ?? made, isCanonical);
}

/** `int.__new__(cls, 5)` inside an enumeration's `__new__`. */
export function bareMaker(data: PyClass): (name: string) => Value | undefined {
  const make = new PyBuiltin('__new__', ([cls = null, ...args]) => {
    if (!(cls instanceof EnumClass) || !cls.isSubclassOf(data))
      return raise(
        'TypeError',
        `${data.name}.__new__(${repr(cls)}): this is not a subtype of ${data.name}`,
      );
    const made = new EnumMember(cls);
    made.data = data.create(data, args);
    return made;
  });
  return (name) => (name === '__new__' ? make : undefined);
}

/** The instance that becomes a member; its class makes its value. */
function instanceOf(cls: EnumClass, value: Value): EnumMember {
  const maker = cls.definesSpecial('__new__') ? cls.lookupFor(null, '__new__') : undefined;
  const args = argumentsOf(value);
  const made = maker instanceof PyObject ? call(maker, [cls, ...args]) : cls.create(cls, []);
  if (!(made instanceof EnumMember))
    return raise('TypeError', `__new__ of '${cls.name}' made no member`);
  const { data } = cls.traits;
  if (data !== undefined) {
    if (
      cls.traits.showsValue &&
      data === types.str &&
      maker === undefined &&
      asText(value) === undefined &&
      args.length === 1
    )
      raise('TypeError', `${repr(args[0] ?? null)} is not a string`);
    made.data ??= data.create(data, args);
    if (!made.attributes.has('_value_')) made.attributes.set('_value_', made.data);
  }
  if (!made.attributes.has('_value_')) made.attributes.set('_value_', value);
  return made;
}
