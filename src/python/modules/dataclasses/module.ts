import { decorated } from './decorator.ts';
import { frozenError } from './frozen.ts';
import { asDict, asTuple } from './converted.ts';
import { DataField, fieldsByClass, fieldsOf } from './field.ts';
import { raise } from '../../errors.ts';
import { PyInstance } from '../../objects/classes/instance.ts';
import { moduleOf } from '../../objects/classes/module.ts';
import { PyBuiltin, nativeFunction } from '../../objects/classes/native.ts';
import { PyObject } from '../../objects/object.ts';
import { PyClass } from '../../objects/class.ts';
import type { Value } from '../../objects/object.ts';
import { call, getAttribute } from '../../objects/protocol.ts';
import { PyTuple } from '../../objects/collections/tuple.ts';

/** The module `dataclasses`. */
export const dataclasses = moduleOf('dataclasses', {
  dataclass: new PyBuiltin('dataclass', ([cls], kwargs) => {
    const options = kwargs ?? new Map<string, Value>();
    if (cls !== undefined && cls !== null) return decorated(cls, options);
    return nativeFunction('dataclass(cls, /)', (later: Value) => decorated(later, options));
  }),
  field: new PyBuiltin('field', (args, kwargs) => {
    if (args.length > 0) raise('TypeError', 'field() takes 0 positional arguments');
    if (kwargs?.has('default') === true && kwargs.has('default_factory'))
      raise('ValueError', 'cannot specify both default and default_factory');
    return new DataField(kwargs ?? new Map());
  }),
  fields: nativeFunction('fields(class_or_instance)', (v: Value) => new PyTuple(fieldsOf(v))),
  asdict: nativeFunction('asdict(obj, *, dict_factory=)', asDict),
  astuple: nativeFunction('astuple(obj, *, tuple_factory=)', asTuple),
  is_dataclass: nativeFunction('is_dataclass(obj)', (v: Value) => {
    const cls = v instanceof PyClass ? v : v instanceof PyObject ? v.cls : undefined;
    return cls?.mro.some((each) => fieldsByClass.has(each)) ?? false;
  }),
  replace: new PyBuiltin('replace', ([v = null], kwargs) => {
    if (!(v instanceof PyInstance))
      return raise('TypeError', 'replace() should be called on dataclass instances');
    const fields = fieldsOf(v);
    const fixed = fields.find((field) => !field.is('init') && kwargs?.has(field.name) === true);
    if (fixed !== undefined)
      raise(
        'ValueError',
        `field ${fixed.name} is declared with init=False, it cannot be specified with replace()`,
      );
    const own = fields.filter((field) => field.is('init'));
    const values = own.map((field) => [field.name, getAttribute(v, field.name)] as const);
    return call(v.cls, [], new Map([...values, ...(kwargs ?? [])]));
  }),
  FrozenInstanceError: frozenError,
});
