import { PyFunction } from '../../objects/classes/function.ts';
import type { PyClass } from '../../objects/class.ts';
import type { Value } from '../../objects/object.ts';

export function addMethod(
  cls: PyClass,
  name: string,
  params: readonly string[],
  body: (...args: Value[]) => Value,
): void {
  if (cls.dict.has(name)) return;
  const shape = {
    names: params,
    positionalOnly: 0,
    positional: params.length,
    star: false,
    doubleStar: false,
  };
  cls.dict.set(name, new PyFunction(`${cls.name}.${name}`, shape, new Map(), body));
}
