import { raise } from '../../errors.ts';
import { truthy } from '../../objects/compare.ts';
import { PyObject } from '../../objects/object.ts';
import { PyClass } from '../../objects/class.ts';
import { types } from '../../objects/types.ts';
import type { Kwargs, Value } from '../../objects/object.ts';
import { getAttribute } from '../../objects/protocol.ts';
import type { DocParameter } from './doc.ts';

const fieldClass = new PyClass('DataField', [types.object], { module: 'dataclasses' });

/** One field: how its value is made, and where it takes part. */
export class DataField extends PyObject {
  readonly options: Kwargs;
  name = '';
  /** The annotation in the class body. */
  type: Value | undefined;

  constructor(options: Kwargs) {
    super();
    this.options = options;
  }
  get cls(): PyClass {
    return fieldClass;
  }
  is(option: string): boolean {
    return truthy(this.options.get(option) ?? true);
  }
  get hasDefault(): boolean {
    return this.options.has('default') || this.options.has('default_factory');
  }
  override attribute(name: string): Value | undefined {
    if (name === 'name') return this.name;
    return name === 'type' ? this.type : this.options.get(name);
  }
  /** The field as a parameter of `__init__`. */
  get documented(): Omit<DocParameter, 'isKeyword'> {
    const value = this.options.get('default');
    const fallback =
      value === undefined
        ? this.options.has('default_factory')
          ? ('factory' as const)
          : undefined
        : { value };
    return { name: this.name, annotation: this.type, fallback };
  }
}

/** The fields of every class that the decorator has processed. */
export const fieldsByClass = new WeakMap<PyClass, readonly DataField[]>();

export function valuesOf(self: Value, fields: readonly DataField[]): Value[] {
  return fields.map((field) => getAttribute(self, field.name));
}

export function fieldsOf(v: Value): readonly DataField[] {
  const cls = v instanceof PyClass ? v : v instanceof PyObject ? v.cls : undefined;
  const found = cls?.mro
    .map((each) => fieldsByClass.get(each))
    .find((fields) => fields !== undefined);
  return found ?? raise('TypeError', 'must be called with a dataclass type or instance');
}
