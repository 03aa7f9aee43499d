import { noGlobal, noLocal, noFree } from './unbound.ts';
import { getItem, setItem, deleteItem } from '../objects/subscripts.ts';
import { unpackValues, spread } from './displays.ts';
import { importModule, importName } from './module-imports.ts';
import { exhausted } from '../meter.ts';
import { add, binary, inplace, mul, sub, unary } from '../objects/numbers/arithmetic.ts';
import { eq, ge, gt, le, lt, ne, isIdentical, truthy } from '../objects/compare.ts';
import { chained, raising } from '../objects/classes/exceptions.ts';
import type { Kwargs, Value } from '../objects/object.ts';
import {
  call,
  contains,
  deleteAttribute,
  getAttribute,
  iterate,
  setAttribute,
} from '../objects/protocol.ts';
import {
  caught,
  enter,
  failAssertion,
  inContext,
  leave,
  leaveWith,
  matches,
  nothingToRaise,
} from './exceptions.ts';
import { makers } from './values.ts';

/** All that emitted code can reach, by the name it uses. */
export const runtime = {
  ...makers,
  noGlobal,
  noLocal,
  noFree,
  truthy,
  same: isIdentical,
  eq,
  ne,
  lt,
  le,
  gt,
  ge,
  add,
  sub,
  mul,
  binary,
  inplace,
  unary,
  isIn: (item: Value, container: Value): boolean => contains(container, item),
  getAttribute,
  setAttribute,
  deleteAttribute,
  getItem,
  setItem,
  deleteItem,
  call,
  /** CPython evaluates the keywords before it iterates over a lone `*value`. */
  callSpread: (callee: Value, value: Value, kwargs: Kwargs): Value =>
    call(callee, spread(value), kwargs),
  spread,
  iterate,
  unpack: unpackValues,
  exhausted,
  caught,
  inContext,
  matches,
  raising,
  chained,
  nothingToRaise,
  failAssertion,
  enter,
  leave,
  leaveWith,
  importModule,
  importName,
} as const;

export type Runtime = typeof runtime;
