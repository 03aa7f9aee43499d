import { PyObject, types } from './object.ts';
import type { PyClass } from './object.ts';

class Ellipsis extends PyObject {
  get cls(): PyClass {
    return types.ellipsis;
  }
  override repr(): string {
    return 'Ellipsis';
  }
}

/** `...` */
export const ellipsis: PyObject = new Ellipsis();
