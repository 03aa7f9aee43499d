import { PyObject } from './object.ts';
import { types } from './types.ts';
import type { PyClass } from './class.ts';

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
