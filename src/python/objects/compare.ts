import { raise } from '../errors.ts';
import { meter, tick } from '../meter.ts';
import { PyFloat, asNumber } from './numbers/number.ts';
import { PyObject } from './object.ts';
import { typeName } from './types.ts';
import type { OrderOp, Value } from './object.ts';

/** Python's truth of a value. */
export function truthy(v: Value): boolean {
  if (typeof v === 'boolean') return v;
  if (v === null || v === '' || v === 0 || v === 0n) return false;
  return v instanceof PyObject ? v.truthy() : true;
}

/** `left == right` in Python; a host object may answer with any value. */
export function eq(left: Value, right: Value): Value {
  if (typeof left === 'number' && typeof right === 'number') return left === right;
  if (typeof left === 'string' && typeof right === 'string') return equalTexts(left, right);
  if (typeof left === 'string' || left === null)
    return left === right || (right instanceof PyObject ? answerOf(right, left) : false);
  if (isNumber(left) && isNumber(right)) return order('==', exact(left), exact(right));
  return nested(() => {
    const [first, second] = isNearer(left, right) ? [right, left] : [left, right];
    const answer = first instanceof PyObject ? first.equals(second) : undefined;
    if (answer !== undefined) return answer;
    return second instanceof PyObject ? answerOf(second, first) : false;
  });
}

/** `left != right`. */
export function ne(left: Value, right: Value): Value {
  if (left instanceof PyObject || right instanceof PyObject) {
    const [first, second] = isNearer(left, right) ? [right, left] : [left, right];
    const own = first instanceof PyObject ? first.unequal(second) : undefined;
    if (own !== undefined) return own;
    const asked = first instanceof PyObject && first.cls.isUser ? first.equals(second) : undefined;
    if (asked !== undefined && second instanceof PyObject && second.cls.isUser)
      return !truthy(asked);
    const theirs = second instanceof PyObject ? second.unequal(first) : undefined;
    if (theirs !== undefined) return theirs;
  }
  return !truthy(eq(left, right));
}

/** Whether two values are equal. */
export function equals(left: Value, right: Value): boolean {
  return truthy(eq(left, right));
}

type Comparable = string | number | bigint;

const MIRROR = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' } as const;
const SURROGATE = /[\uD800-\uDFFF]/;

/** `left < right`, `<=`, `>` or `>=`. @throws TypeError when the two have no order */
export function orderOf(op: OrderOp, left: Value, right: Value): Value {
  if (typeof left === 'number' && typeof right === 'number') return order(op, left, right);
  if (typeof left === 'string' && typeof right === 'string') return orderStrings(op, left, right);
  if (isNumber(left) && isNumber(right)) return order(op, exact(left), exact(right));
  const answer = nested(() => {
    const ours = (): Value | undefined =>
      left instanceof PyObject ? left.order(op, right) : undefined;
    const theirs = (): Value | undefined =>
      right instanceof PyObject ? right.order(MIRROR[op], left) : undefined;
    const [first, second] = isNearer(left, right) ? [theirs, ours] : [ours, theirs];
    const own = first();
    return own === undefined ? second() : own;
  });
  if (answer !== undefined) return answer;
  return raise(
    'TypeError',
    `'${op}' not supported between instances of '${typeName(left)}' and '${typeName(right)}'`,
  );
}

export function lt(left: Value, right: Value): Value {
  return orderOf('<', left, right);
}

export function le(left: Value, right: Value): Value {
  return orderOf('<=', left, right);
}

export function gt(left: Value, right: Value): Value {
  return orderOf('>', left, right);
}

export function ge(left: Value, right: Value): Value {
  return orderOf('>=', left, right);
}

/** Lexicographic order of two sequences. */
export function orderItems(op: OrderOp, left: readonly Value[], right: readonly Value[]): Value {
  const shorter = Math.min(left.length, right.length);
  tick(shorter >> 3);
  for (let i = 0; i < shorter; i += 1) {
    const ours = left[i] ?? null;
    const theirs = right[i] ?? null;
    if (ours !== theirs && !equals(ours, theirs)) return orderOf(op, ours, theirs);
  }
  return order(op, left.length, right.length);
}

/** -1, 0 or 1. @throws TypeError when the two have no order */
export function compare(left: Value, right: Value): number {
  return truthy(lt(left, right)) ? -1 : truthy(lt(right, left)) ? 1 : 0;
}

/**
 * `left is right`: identity for objects, equality for the primitives that Python usually shares.
 */
export function isIdentical(left: Value, right: Value): boolean {
  return (
    left === right ||
    (left instanceof PyFloat &&
      right instanceof PyFloat &&
      Object.is(left.v, right.v) &&
      !Number.isNaN(left.v))
  );
}

/** A sorted copy; the sort is stable and pays for its comparisons. */
export function sorted(
  list: readonly Value[],
  key: ((item: Value) => Value) | undefined,
  reverse: boolean,
): Value[] {
  tick(list.length * Math.ceil(Math.log2(list.length + 2)));
  const keyed = list.map((item) => ({ item, key: key === undefined ? item : key(item) }));
  if (reverse) keyed.reverse();
  // CPython's sort asks only `<`, and once per comparison.
  keyed.sort((a, b) => (truthy(lt(a.key, b.key)) ? -1 : 0));
  if (reverse) keyed.reverse();
  return keyed.map(({ item }) => item);
}

/** Equality of strings; reads them only when their lengths are equal. */
function equalTexts(left: string, right: string): boolean {
  if (left.length === right.length) tick(left.length >> 8);
  return left === right;
}

/** An object's answer to `==`; no answer means no. */
function answerOf(object: PyObject, other: Value): Value {
  const answer = object.equals(other);
  return answer === undefined ? false : answer;
}

function isNumber(v: Value): boolean {
  return (
    typeof v === 'number' || typeof v === 'boolean' || typeof v === 'bigint' || v instanceof PyFloat
  );
}

function order(op: OrderOp | '==', left: Comparable, right: Comparable): boolean {
  switch (op) {
    case '==':
      return (
        Number(left < right) === 0 &&
        Number(left > right) === 0 &&
        !isNaNValue(left) &&
        !isNaNValue(right)
      );
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    case '>=':
      return left >= right;
    default:
      return op satisfies never;
  }
}

function isNaNValue(v: Comparable): boolean {
  return typeof v === 'number' && Number.isNaN(v);
}

/**
 * The exact value of a number: a bigint stays, anything else is a double. JavaScript compares the
 * two exactly.
 */
function exact(v: Value): number | bigint {
  return typeof v === 'bigint' ? v : (asNumber(v) ?? Number.NaN);
}

/**
 * Comparing nested containers recurses in JavaScript, so its depth has a limit, like that of Python
 * calls.
 */
function nested<T>(body: () => T): T {
  const depth = meter.depth;
  meter.depth = depth + 1;
  if (depth > 400) raise('RecursionError', 'maximum recursion depth exceeded in comparison');
  const result = body();
  meter.depth = depth;
  return result;
}

/** Whether Python asks the right operand first: its class extends that of the left. */
function isNearer(left: Value, right: Value): boolean {
  return (
    left instanceof PyObject &&
    right instanceof PyObject &&
    left.cls !== right.cls &&
    right.cls.isUser &&
    right.cls.isSubclassOf(left.cls)
  );
}

/**
 * Python orders by code point, JavaScript by UTF-16 unit; the two differ only for texts with
 * surrogates.
 */
function orderStrings(op: OrderOp, left: string, right: string): boolean {
  tick(Math.min(left.length, right.length) >> 6);
  if (!SURROGATE.test(left) && !SURROGATE.test(right)) return order(op, left, right);
  const ours = Array.from(left, (c) => c.codePointAt(0) ?? 0);
  const theirs = Array.from(right, (c) => c.codePointAt(0) ?? 0);
  const at = ours.findIndex((point, i) => point !== theirs[i]);
  return at < 0
    ? order(op, ours.length, theirs.length)
    : order(op, ours[at] ?? -1, theirs[at] ?? -1);
}
