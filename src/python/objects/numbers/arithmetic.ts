import { PyError, raise } from '../../errors.ts';
import { payForText } from '../../text/size.ts';
import { tick } from '../../meter.ts';
import { exactly } from '../../text/float.ts';
import { percentFormat } from '../../text/percent.ts';
import {
  MAX_INT_BITS,
  PyFloat,
  asIndex,
  asInt,
  asNumber,
  asPlainNumber,
  bitLength,
  float,
  integer,
  toDouble,
} from './number.ts';
import { PyObject } from '../object.ts';
import { typeName } from '../types.ts';
import * as precise from './precise.ts';
import type { BinaryOp, UnaryOp, Value } from '../object.ts';

/**
 * `left + right`. Two plain numbers are the fast path: int + int, or a float whose integral result
 * must be boxed.
 */
export function add(left: Value, right: Value): Value {
  if (typeof left === 'number' && typeof right === 'number') {
    const sum = left + right;
    if (!Number.isInteger(sum)) return Number.isNaN(sum) ? new PyFloat(sum) : sum;
    if (Number.isInteger(left) && Number.isInteger(right))
      return Number.isSafeInteger(sum) ? sum : BigInt(left) + BigInt(right);
    return new PyFloat(sum);
  }
  if (typeof left === 'string' && typeof right === 'string') {
    payForText(left.length + right.length);
    return left + right;
  }
  return binary('+', left, right);
}

/** `left - right`. */
export function sub(left: Value, right: Value): Value {
  if (typeof left === 'number' && typeof right === 'number') {
    const difference = left - right;
    if (!Number.isInteger(difference))
      return Number.isNaN(difference) ? new PyFloat(difference) : difference;
    if (Number.isInteger(left) && Number.isInteger(right)) {
      return Number.isSafeInteger(difference) ? difference : BigInt(left) - BigInt(right);
    }
    return new PyFloat(difference);
  }
  return binary('-', left, right);
}

/** `left * right`. */
export function mul(left: Value, right: Value): Value {
  if (typeof left === 'number' && typeof right === 'number') {
    const product = left * right;
    if (!Number.isInteger(product)) return Number.isNaN(product) ? new PyFloat(product) : product;
    if (Number.isInteger(left) && Number.isInteger(right)) {
      return Number.isSafeInteger(product) ? product + 0 : integer(BigInt(left) * BigInt(right));
    }
    return new PyFloat(product);
  }
  return binary('*', left, right);
}

/** Any binary operator: numbers, then strings, then the operands' own methods. @throws TypeError */
export function binary(op: BinaryOp, left: Value, right: Value): Value {
  const ours = asPlainNumber(left);
  const theirs = ours === undefined ? undefined : asPlainNumber(right);
  if (ours !== undefined && theirs !== undefined) {
    const result = numeric(op, left, right);
    return result ?? unsupported(op, left, right);
  }
  const first = reflectedFirst(op, left, right);
  if (first !== undefined) return first;
  if (typeof left === 'string') return text(op, left, right);
  const own = left instanceof PyObject ? left.binary(op, right) : undefined;
  if (own !== undefined) return own;
  if (typeof right === 'string' && op === '*' && asIndex(left) !== undefined)
    return text(op, right, left);
  return (
    (right instanceof PyObject ? right.reflected(op, left) : undefined) ??
    unsupported(op, left, right)
  );
}

/** `left op= right`: changes the left operand in place when its class can. */
export function inplace(op: BinaryOp, left: Value, right: Value): Value {
  const changed = left instanceof PyObject ? left.inplace(op, right) : undefined;
  if (changed !== undefined) return changed;
  try {
    return binary(op, left, right);
  } catch (error) {
    if (!(error instanceof PyError) || !error.message.startsWith('unsupported operand'))
      throw error;
    return raise('TypeError', error.message.replace(/for (\S+).*?: /, `for ${op}=: `));
  }
}

type Int = number | bigint;

/** `-v`, `+v`, `~v`. @throws TypeError */
export function unary(op: UnaryOp, v: Value): Value {
  const own = v instanceof PyObject && v.underlying !== undefined ? v.unary(op) : undefined;
  if (own !== undefined) return own;
  const n = asInt(v);
  if (n !== undefined) {
    switch (op) {
      case '-':
        return typeof n === 'number' ? 0 - n : integer(-n);
      case '+':
        return n;
      case '~':
        return integer(-BigInt(n) - 1n);
      default:
        return op satisfies never;
    }
  }
  const x = op === '~' ? undefined : asNumber(v);
  if (x !== undefined) return float(op === '-' ? -x : x);
  const special = v instanceof PyObject ? v.unary(op) : undefined;
  return special ?? raise('TypeError', `bad operand type for unary ${op}: '${typeName(v)}'`);
}

function numeric(op: BinaryOp, left: Value, right: Value): Value | undefined {
  const ours = asInt(left);
  const theirs = asInt(right);
  if (ours !== undefined && theirs !== undefined) {
    if (typeof left === 'boolean' && typeof right === 'boolean') {
      if (op === '&') return left && right;
      if (op === '|') return left || right;
      if (op === '^') return left !== right;
    }
    return integers(op, ours, theirs);
  }
  return doubles(op, toDouble(left), toDouble(right));
}

function integers(op: BinaryOp, left: Int, right: Int): Value | undefined {
  switch (op) {
    case '+':
      return add2(left, right, (a, b) => a + b);
    case '-':
      return add2(left, right, (a, b) => a - b);
    case '*':
      return multiplied(left, right);
    case '/':
      return divided(left, right);
    case '//':
      return floorDivided(left, right);
    case '%':
      return remainder(left, right);
    case '**':
      return power(left, right);
    case '<<':
      return shiftedLeft(left, right);
    case '>>':
      return shiftedRight(left, right);
    case '&':
      return integer(BigInt(left) & BigInt(right));
    case '|':
      return integer(BigInt(left) | BigInt(right));
    case '^':
      return integer(BigInt(left) ^ BigInt(right));
    case '@':
      return undefined;
    default:
      return op satisfies never;
  }
}

function add2(left: Int, right: Int, operate: (a: bigint, b: bigint) => bigint): Value {
  return integer(operate(BigInt(left), BigInt(right)));
}

function multiplied(left: Int, right: Int): Value {
  const bits = bitLength(left) + bitLength(right);
  if (bits > MAX_INT_BITS + 2)
    raise('OverflowError', `int too large: more than ${MAX_INT_BITS} bits`);
  tick(bits >> 4);
  return integer(BigInt(left) * BigInt(right));
}

/** True division of ints, correctly rounded also beyond 2^53. */
function divided(left: Int, right: Int): Value {
  if (Number(right) === 0) raise('ZeroDivisionError', 'division by zero');
  if (typeof left === 'number' && typeof right === 'number') return float(left / right);
  const negative = Number(left) < 0 !== Number(right) < 0;
  const result = nearestDouble(
    left < 0 ? -BigInt(left) : BigInt(left),
    right < 0 ? -BigInt(right) : BigInt(right),
  );
  if (!Number.isFinite(result))
    raise('OverflowError', 'integer division result too large for a float');
  return float(negative ? -result : result);
}

/** The double nearest to a fraction of positive numbers. */
function nearestDouble(over: bigint, under: bigint): number {
  const shift = bitLength(over) - bitLength(under) - 66;
  const [n, d] = shift > 0 ? [over, under << BigInt(shift)] : [over << BigInt(-shift), under];
  const sticky = n % d === 0n ? 0n : 1n;
  return (
    Number((n / d) * 2n + sticky) *
    2 ** Math.max(shift - 1, -1000) *
    2 ** Math.min(0, shift - 1 + 1000)
  );
}

function floorDivided(left: Int, right: Int): Value {
  if (Number(right) === 0) raise('ZeroDivisionError', 'integer division or modulo by zero');
  if (typeof left === 'number' && typeof right === 'number') {
    const rest = left % right;
    return (left - rest) / right - (rest !== 0 && rest < 0 !== right < 0 ? 1 : 0) + 0;
  }
  const [n, d] = [BigInt(left), BigInt(right)];
  tick(bitLength(n) >> 4);
  return integer(n / d - (n % d !== 0n && n < 0n !== d < 0n ? 1n : 0n));
}

function remainder(left: Int, right: Int): Value {
  if (Number(right) === 0) raise('ZeroDivisionError', 'integer modulo by zero');
  if (typeof left === 'number' && typeof right === 'number') {
    const rest = left % right;
    return (rest !== 0 && rest < 0 !== right < 0 ? rest + right : rest) + 0;
  }
  const [n, d] = [BigInt(left), BigInt(right)];
  tick(bitLength(n) >> 4);
  const rest = n % d;
  return integer(rest !== 0n && rest < 0n !== d < 0n ? rest + d : rest);
}

function power(left: Int, right: Int): Value {
  if (Number(right) < 0) {
    if (Number(left) === 0) raise('ZeroDivisionError', '0.0 cannot be raised to a negative power');
    return floatPower(toDouble(left), toDouble(right));
  }
  if (Number(right) === 0) return 1;
  const size = left < 0 ? -left : left;
  if (size <= 1) return size === left || BigInt(right) % 2n === 0n ? Number(size) : -1;
  const bits = (bitLength(left) - 1) * Number(right);
  if (bits > MAX_INT_BITS) raise('OverflowError', `int too large: more than ${MAX_INT_BITS} bits`);
  tick(bits >> 6);
  return integer(BigInt(left) ** BigInt(right));
}

function floatPower(left: number, right: number): Value {
  if (left === 1 || right === 0) return float(1);
  if (left === -1 && !Number.isFinite(right) && !Number.isNaN(right)) return float(1);
  if (Math.abs(right) === Infinity && !Number.isNaN(left))
    return float(right > 0 === Math.abs(left) > 1 ? Infinity : 0);
  if (left === 0 && right < 0)
    return raise('ZeroDivisionError', '0.0 cannot be raised to a negative power');
  if (left < 0 && Number.isFinite(left) && Number.isFinite(right) && !Number.isInteger(right)) {
    return raise(
      'ValueError',
      'a negative number to a fractional power is complex, and complex numbers are not supported',
    );
  }
  const result = precisePower(left, right);
  if (!Number.isFinite(result) && Number.isFinite(left) && Number.isFinite(right)) {
    throw new PyError(
      'OverflowError',
      [34, 'Numerical result out of range'],
      "(34, 'Numerical result out of range')",
    );
  }
  return float(result);
}

/**
 * `left ** right` as the C library computes it. V8's differs in the last bit for one float in ten.
 */
function precisePower(left: number, right: number): number {
  if (right === 0.5 && left >= 0) return Math.sqrt(left);
  if (left === 0 || !Number.isFinite(left) || !Number.isFinite(right)) return left ** right;
  if (!Number.isInteger(right) || Math.abs(right) > 32) {
    const size = precise.power(Math.abs(left), right);
    return left < 0 && right % 2 !== 0 ? -size : size;
  }
  const { mantissa, exponent } = exactly(left);
  const n = Math.abs(right);
  const [power, shift] = [mantissa ** BigInt(n), exponent * n];
  const [over, under] = shift >= 0 ? [power << BigInt(shift), 1n] : [power, 1n << BigInt(-shift)];
  const size = right > 0 ? nearestDouble(over, under) : nearestDouble(under, over);
  return left < 0 && n % 2 === 1 ? -size : size;
}

function shiftedLeft(left: Int, by: Int): Value {
  if (by < 0) raise('ValueError', 'negative shift count');
  if (Number(left) === 0) return 0;
  if (typeof by === 'bigint') return raise('OverflowError', 'int too large: the shift count');
  if (bitLength(left) + by > MAX_INT_BITS)
    raise('OverflowError', `int too large: more than ${MAX_INT_BITS} bits`);
  return integer(BigInt(left) << BigInt(by));
}

function shiftedRight(left: Int, by: Int): Value {
  if (by < 0) raise('ValueError', 'negative shift count');
  if (typeof by === 'bigint') return left < 0 ? -1 : 0;
  return integer(BigInt(left) >> BigInt(by));
}

function doubles(op: BinaryOp, left: number, right: number): Value | undefined {
  switch (op) {
    case '+':
      return float(left + right);
    case '-':
      return float(left - right);
    case '*':
      return float(left * right);
    case '/':
      return right === 0
        ? raise('ZeroDivisionError', 'float division by zero')
        : float(left / right);
    case '//':
      return right === 0
        ? raise('ZeroDivisionError', 'float floor division by zero')
        : float(floorFloat(left, right));
    case '%':
      return right === 0
        ? raise('ZeroDivisionError', 'float modulo')
        : float(moduloFloat(left, right));
    case '**':
      return floatPower(left, right);
    default:
      return undefined;
  }
}

/** Python's float `//`, computed from the remainder so that it agrees with `%`. */
function floorFloat(left: number, right: number): number {
  const rest = left % right;
  const quotient = (left - rest) / right - (rest !== 0 && rest < 0 !== right < 0 ? 1 : 0);
  if (quotient === 0) return left / right < 0 || Object.is(left / right, -0) ? -0 : 0;
  const floor = Math.floor(quotient);
  return quotient - floor > 0.5 ? floor + 1 : floor;
}

/** Python's float `%`: the sign of the divisor. */
function moduloFloat(left: number, right: number): number {
  const rest = left % right;
  if (rest === 0) return right < 0 || Object.is(right, -0) ? -0 : 0;
  return rest < 0 !== right < 0 ? rest + right : rest;
}

function unsupported(op: BinaryOp, left: Value, right: Value): never {
  const sign = op === '**' ? '** or pow()' : op;
  return raise(
    'TypeError',
    `unsupported operand type(s) for ${sign}: '${typeName(left)}' and '${typeName(right)}'`,
  );
}

/**
 * The answer of the right operand where Python asks it first: an object of a snippet's class next
 * to a sequence, or next to an object whose class it extends.
 */
function reflectedFirst(op: BinaryOp, left: Value, right: Value): Value | undefined {
  if (!(right instanceof PyObject) || !right.cls.isUser) return undefined;
  const isNearer =
    left instanceof PyObject &&
    left.cls.isUser &&
    right.cls !== left.cls &&
    right.cls.isSubclassOf(left.cls);
  const isSequence = !(left instanceof PyObject && left.cls.isUser) && (op === '+' || op === '*');
  return isNearer || isSequence ? right.reflected(op, left) : undefined;
}

function text(op: BinaryOp, left: string, right: Value): Value {
  if (op === '%') return percentFormat(left, right);
  if (op === '*') {
    const times = asIndex(right);
    if (times === undefined)
      return raise('TypeError', `can't multiply sequence by non-int of type '${typeName(right)}'`);
    if (BigInt(times) >= 1n << 63n)
      return raise('OverflowError', "cannot fit 'int' into an index-sized integer");
    const count = Math.max(0, Number(times));
    payForText(left.length * count);
    return left.repeat(left === '' ? 0 : count);
  }
  if (op === '+' && typeof right === 'string') return add(left, right);
  const reflected = right instanceof PyObject ? right.reflected(op, left) : undefined;
  if (reflected !== undefined) return reflected;
  return op === '+'
    ? raise('TypeError', `can only concatenate str (not "${typeName(right)}") to str`)
    : unsupported(op, left, right);
}
