import { PyError, raise } from '../errors.ts';
import { frame } from '../frame.ts';
import { standardModules } from '../modules/table.ts';
import { PyModule } from '../objects/classes/module.ts';
import { PyObject } from '../objects/object.ts';
import { typeName } from '../objects/types.ts';
import type { Value } from '../objects/object.ts';

export function importModule(name: string): Value {
  const found = frame.modules?.get(name) ?? standardModules.get(name);
  if (found !== undefined) return found;
  throw new PyError('ModuleNotFoundError', [`No module named '${name}'`], '');
}

export function importName(module: Value, name: string): Value {
  const label = module instanceof PyModule ? module.name : typeName(module);
  const found = module instanceof PyObject ? module.attribute(name) : undefined;
  if (found !== undefined) return found;
  return (
    frame.modules?.get(`${label}.${name}`) ??
    standardModules.get(`${label}.${name}`) ??
    raise('ImportError', `cannot import name '${name}' from '${label}' (unknown location)`)
  );
}
