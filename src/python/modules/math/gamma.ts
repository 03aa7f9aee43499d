import { raise } from '../../errors.ts';
import { cos, exp, fractionOf, ln, power, sin } from '../../objects/numbers/precise.ts';

/** Lanczos' approximation with CPython's coefficients, so that results agree to the last bit. */
const LANCZOS_G = 6.02468004077673;
const G_LESS_HALF = 5.52468004077673;
const OVER = [
  23531376880.41076, 42919803642.6491, 35711959237.35567, 17921034426.03721, 6039542586.352028,
  1439720407.3117216, 248874557.86205417, 31426415.585400194, 2876370.6289353725,
  186056.26539522348, 8071.672002365816, 210.82427775157936, 2.5066282746310002,
];
const UNDER = [
  0, 39916800, 120543840, 150917976, 105258076, 45995730, 13339535, 2637558, 357423, 32670, 1925,
  66, 1,
];
const LN_PI = 1.1447298858494002;
/** Factorials up to this number are exact doubles. */
const LARGEST_EXACT = 23;

/** The gamma function. @throws ValueError at its poles; OverflowError */
export function gamma(x: number): number {
  if (!Number.isFinite(x)) return x === -Infinity ? outside() : x;
  if (x === 0) return outside();
  if (Number.isInteger(x) && x < 0) return outside();
  if (Number.isInteger(x) && x <= LARGEST_EXACT)
    return Array.from({ length: x - 1 }, (_, i) => i + 1).reduce((all, i) => all * i, 1);
  const size = Math.abs(x);
  if (size < 1e-20) return checked(1 / x);
  if (size > 200) return x < 0 ? 0 / -sinPi(size) : tooLarge();
  const y = size + G_LESS_HALF;
  const lost = size > G_LESS_HALF ? y - size - G_LESS_HALF : y - G_LESS_HALF - size;
  const part = (lost * LANCZOS_G) / y;
  return checked(x < 0 ? below(size, y, part) : above(size, y, part));
}

/**
 * The logarithm of the absolute value of the gamma function.
 * @throws ValueError at its poles; OverflowError
 */
export function lgamma(x: number): number {
  if (!Number.isFinite(x)) return Number.isNaN(x) ? x : Infinity;
  if (Number.isInteger(x) && x <= 2) return x <= 0 ? outside() : 0;
  const size = Math.abs(x);
  if (size < 1e-20) return -log(size);
  const sum = log(lanczosSum(size)) - LANCZOS_G + (size - 0.5) * (log(size + LANCZOS_G - 0.5) - 1);
  return checked(x < 0 ? LN_PI - log(Math.abs(sinPi(size))) - log(size) - sum : sum);
}

function outside(): never {
  return raise('ValueError', 'math domain error');
}

function checked(x: number): number {
  return Number.isFinite(x) ? x : tooLarge();
}

function tooLarge(): never {
  return raise('OverflowError', 'math range error');
}

/** sin(pi * x) of a positive x. */
function sinPi(x: number): number {
  const y = x % 2;
  switch (Math.floor(2 * y + 0.5)) {
    case 0:
      return sin(Math.PI * y);
    case 1:
      return cos(Math.PI * (y - 0.5));
    case 2:
      return sin(Math.PI * (1 - y));
    case 3:
      return -cos(Math.PI * (y - 1.5));
    default:
      return sin(Math.PI * (y - 2));
  }
}

function below(size: number, y: number, part: number): number {
  let result = ((-Math.PI / sinPi(size) / size) * exp(y)) / lanczosSum(size);
  result -= part * result;
  if (size < 140) return result / power(y, size - 0.5);
  const root = power(y, size / 2 - 0.25);
  return result / root / root;
}

function lanczosSum(x: number): number {
  let [over, under] = [0, 0];
  for (let i = 0; i < OVER.length; i += 1) {
    const at = x < 5 ? OVER.length - 1 - i : i;
    over = (x < 5 ? over * x : over / x) + (OVER[at] ?? 0);
    under = (x < 5 ? under * x : under / x) + (UNDER[at] ?? 0);
  }
  return over / under;
}

function above(size: number, y: number, part: number): number {
  let result = lanczosSum(size) / exp(y);
  result += part * result;
  if (size < 140) return result * power(y, size - 0.5);
  const root = power(y, size / 2 - 0.25);
  return result * root * root;
}

function log(x: number): number {
  return ln(...fractionOf(x));
}
