import { exp } from '../../objects/numbers/precise.ts';

/*
 * The error function by the rational approximations of Sun's fdlibm, which C libraries use,
 * so that the last bit is theirs:
 *
 * Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved.
 * Developed at SunPro, a Sun Microsystems, Inc. business.
 * Permission to use, copy, modify, and distribute this software is freely granted, provided
 * that this notice is preserved.
 */

const EFX = 0.1283791670955126;
const ERX = 0.8450629115104675;
/** Numerators and denominators, lowest power first, of the four ranges. */
const SMALL = {
  over: [
    0.12837916709551256, -0.3250421072470015, -0.02848174957559851, -0.005770270296489442,
    -0.000023763016656650163,
  ],
  under: [
    1, 0.39791722395915535, 0.0650222499887673, 0.005081306281875766, 0.00013249473800432164,
    -0.000003960228278775368,
  ],
};
const MIDDLE = {
  over: [
    -0.0023621185607526594, 0.41485611868374833, -0.3722078760357013, 0.31834661990116175,
    -0.11089469428239668, 0.035478304325618236, -0.002166375594868791,
  ],
  under: [
    1, 0.10642088040084423, 0.540397917702171, 0.07182865441419627, 0.12617121980876164,
    0.01363708391202905, 0.011984499846799107,
  ],
};
const LARGE = {
  over: [
    -0.009864944034847148, -0.6938585727071818, -10.558626225323291, -62.375332450326006,
    -162.39666946257347, -184.60509290671104, -81.2874355063066, -9.814329344169145,
  ],
  under: [
    1, 19.651271667439257, 137.65775414351904, 434.56587747522923, 645.3872717332679,
    429.00814002756783, 108.63500554177944, 6.570249770319282, -0.0604244152148581,
  ],
};
const LARGEST = {
  over: [
    -0.0098649429247001, -0.799283237680523, -17.757954917754752, -160.63638485582192,
    -637.5664433683896, -1025.0951316110772, -483.5191916086514,
  ],
  under: [
    1, 30.33806074348246, 325.7925129965739, 1536.729586084437, 3199.8582195085955,
    2553.0504064331644, 474.52854120695537, -22.44095244658582,
  ],
};

/** The error function. */
export function erf(x: number): number {
  if (Number.isNaN(x)) return x;
  const size = Math.abs(x);
  const word = highWord(size);
  if (word < 0x3e300000) return x + EFX * x;
  if (word < 0x3feb0000) return x + x * quotient(SMALL, x * x);
  const result =
    word < 0x3ff40000
      ? ERX + quotient(MIDDLE, size - 1)
      : word < 0x40180000
        ? 1 - tail(size, word >= 0x4006db6e)
        : 1;
  return x < 0 ? -result : result;
}

/** 1 - erf(x), precise also where erf(x) is close to 1. */
export function erfc(x: number): number {
  if (Number.isNaN(x)) return x;
  const size = Math.abs(x);
  const word = highWord(size);
  if (word < 0x3c700000) return 1 - x;
  if (word < 0x3feb0000) {
    const part = quotient(SMALL, x * x);
    return x < 0.25 ? 1 - (x + x * part) : 0.5 - (x - 0.5 + x * part);
  }
  if (word < 0x3ff40000) {
    const part = quotient(MIDDLE, size - 1);
    return x < 0 ? 1 + (ERX + part) : 1 - ERX - part;
  }
  if (word >= 0x403c0000 || (x < 0 && word >= 0x40180000)) return x < 0 ? 2 : 0;
  const rest = tail(size, word >= 0x4006db6d);
  return x < 0 ? 2 - rest : rest;
}

/** The upper half of the bits of a double. */
function highWord(x: number): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, x);
  return view.getUint32(0);
}

function quotient({ over, under }: typeof SMALL, x: number): number {
  return polynomial(over, x) / polynomial(under, x);
}

/** A polynomial in pairs of terms, in the order in which the C library adds them. */
function polynomial(terms: readonly number[], x: number): number {
  const square = x * x;
  let sum = 0;
  for (let i = 0; i < terms.length; i += 2) {
    const next = terms[i + 1];
    const pair = next === undefined ? (terms[i] ?? 0) : (terms[i] ?? 0) + x * next;
    sum = i === 0 ? pair : sum + evenPower(square, i) * pair;
  }
  return sum;
}

/** x ** power of an even power up to 8, from the square, as the C library multiplies it. */
function evenPower(square: number, power: number): number {
  const fourth = square * square;
  if (power === 2) return square;
  if (power === 4) return fourth;
  return power === 6 ? fourth * square : fourth * fourth;
}

/** erfc of a positive x from 1.25 up. */
function tail(x: number, isLargest: boolean): number {
  const fraction = quotient(isLargest ? LARGEST : LARGE, 1 / (x * x));
  const z = coarse(x);
  return (exp(-z * z - 0.5625) * exp((z - x) * (z + x) + fraction)) / x;
}

/** A double without the lower half of its bits. */
function coarse(x: number): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, x);
  view.setUint32(4, 0);
  return view.getFloat64(0);
}
