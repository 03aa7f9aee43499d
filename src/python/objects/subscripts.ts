import { raise } from '../errors.ts';
import { PyObject } from './object.ts';
import { typeName } from './types.ts';
import type { Value } from './object.ts';
import { stringItem } from '../text/characters.ts';

export function getItem(container: Value, key: Value): Value {
  if (typeof container === 'string') return stringItem(container, key);
  return container instanceof PyObject
    ? container.item(key)
    : raise('TypeError', `'${typeName(container)}' object is not subscriptable`);
}

export function setItem(container: Value, key: Value, value: Value): void {
  if (container instanceof PyObject) container.setItem(key, value);
  else raise('TypeError', `'${typeName(container)}' object does not support item assignment`);
}

export function deleteItem(container: Value, key: Value): void {
  if (container instanceof PyObject) container.deleteItem(key);
  else
    raise(
      'TypeError',
      `'${typeName(container)}' object ${typeof container === 'string' ? "doesn't" : 'does not'} support item deletion`,
    );
}
