import { PyClass, classOfClasses, objectClass } from './class.ts';
import { PyObject } from './object.ts';
import type { Value } from './object.ts';

const int = plain('int');

/** The classes of the built-in values. The file of each adds its methods. */
export const types = {
  object: objectClass,
  int,
  type: classOfClasses,
  bool: withoutKeywords('bool', int),
  float: withoutKeywords('float'),
  str: plain('str'),
  list: withoutKeywords('list'),
  tuple: withoutKeywords('tuple'),
  dict: plain('dict'),
  set: withoutKeywords('set'),
  frozenset: withoutKeywords('frozenset'),
  range: withoutKeywords('range'),
  slice: withoutKeywords('slice'),
  function: plain('function'),
  builtin: plain('builtin_function_or_method'),
  method: plain('method'),
  generator: plain('generator'),
  module: plain('module'),
  property: plain('property'),
  staticmethod: plain('staticmethod'),
  classmethod: plain('classmethod'),
  super: plain('super'),
  ellipsis: plain('ellipsis'),
  NoneType: plain('NoneType'),
  NotImplementedType: plain('NotImplementedType'),
  UnionType: plain('UnionType', 'types'),
  GenericAlias: plain('GenericAlias', 'types'),
} as const;

/** The class of any value. */
export function typeOf(value: Value): PyClass {
  if (value === null) return types.NoneType;
  if (value instanceof PyObject) return value.cls;
  switch (typeof value) {
    case 'string':
      return types.str;
    case 'boolean':
      return types.bool;
    case 'bigint':
      return types.int;
    case 'number':
      return Number.isInteger(value) ? types.int : types.float;
    default:
      return value satisfies never;
  }
}

/** The class name of a value, as error texts use it. */
export function typeName(value: Value): string {
  return typeOf(value).told;
}

function plain(name: string, module?: string): PyClass {
  return new PyClass(name, [objectClass], module === undefined ? {} : { module });
}

function withoutKeywords(name: string, base = objectClass): PyClass {
  const made = new PyClass(name, [base]);
  made.takesKeywords = false;
  return made;
}
