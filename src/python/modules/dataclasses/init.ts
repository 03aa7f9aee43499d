import type { DataField } from './field.ts';
import { raise } from '../../errors.ts';
import { truthy } from '../../objects/compare.ts';
import { PyFunction } from '../../objects/classes/function.ts';
import { PyInstance } from '../../objects/classes/instance.ts';
import { PyBuiltin } from '../../objects/classes/native.ts';
import { PyObject } from '../../objects/object.ts';
import type { PyClass } from '../../objects/class.ts';
import type { Value } from '../../objects/object.ts';
import { call } from '../../objects/protocol.ts';
import { dataclassDoc } from './doc.ts';

const UNSET: Value = new PyBuiltin('MISSING', () => null);

export function addInit(cls: PyClass, fields: readonly DataField[], keywordOnly: boolean): void {
  const given = fields.filter((field) => field.is('init'));
  const isKeyword = (field: DataField): boolean =>
    truthy(field.options.get('kw_only') ?? keywordOnly);
  const ordered = [...given.filter((field) => !isKeyword(field)), ...given.filter(isKeyword)];
  const positional = given.filter((field) => !isKeyword(field));
  const late = positional.find(
    (field, i) => !field.hasDefault && positional.slice(0, i).some((f) => f.hasDefault),
  );
  if (late !== undefined)
    raise('TypeError', `non-default argument '${late.name}' follows default argument`);
  const names = ['self', ...ordered.map((field) => field.name)];
  const shape = {
    names,
    positionalOnly: 0,
    positional: 1 + positional.length,
    star: false,
    doubleStar: false,
  };
  const defaults = new Map(
    ordered.flatMap((field) => (field.hasDefault ? [[field.name, UNSET] as const] : [])),
  );
  const init = new PyFunction(`${cls.name}.__init__`, shape, defaults, (self = null, ...values) => {
    if (!(self instanceof PyInstance)) return null;
    for (const field of fields) {
      const value = values[ordered.indexOf(field)];
      const factory = field.options.get('default_factory');
      const fallback = (): Value | undefined =>
        factory === undefined ? field.options.get('default') : call(factory, []);
      const own = value === undefined || value === UNSET ? fallback() : value;
      if (own !== undefined) self.attributes.set(field.name, own);
    }
    const after = self.cls.lookupFor(self, '__post_init__');
    if (after instanceof PyObject) after.call([]);
    return null;
  });
  if (cls.dict.has('__init__')) return;
  cls.dict.set('__init__', init);
  if ((cls.dict.get('__doc__') ?? null) !== null) return;
  const parameters = ordered.map((field) => ({ ...field.documented, isKeyword: isKeyword(field) }));
  cls.dict.set('__doc__', dataclassDoc(cls.name, parameters));
}
