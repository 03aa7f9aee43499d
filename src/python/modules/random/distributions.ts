import { raise } from '../../errors.ts';
import { tick } from '../../meter.ts';
import type { NativeMethod } from '../../objects/classes/native.ts';
import { float, toDouble } from '../../objects/numbers/number.ts';
import type { PyObject, Value } from '../../objects/object.ts';
import { cos, exp, fractionOf, ln, power } from '../../objects/numbers/precise.ts';

/** A source of uniform random numbers. */
type Uniform = PyObject & { random(): number };
const TURN = 2 * Math.PI;

/** The distributions of the module `random`, with the methods that give CPython's numbers. */
export const distributions: Record<string, NativeMethod<Uniform>> = {
  'normalvariate(mu=, sigma=)': (self, mu, sigma) => float(or(mu, 0) + normal(self) * or(sigma, 1)),
  'lognormvariate(mu, sigma)': (self, mu, sigma) =>
    float(exp(or(mu, 0) + normal(self) * or(sigma, 1))),
  'expovariate(lambd)': (self, lambda) => {
    const rate = or(lambda, 1);
    const size = -log(1 - self.random());
    return rate === 0 ? raise('ZeroDivisionError', 'float division by zero') : float(size / rate);
  },
  'gammavariate(alpha, beta)': (self, alpha, beta) => float(gamma(self, or(alpha, 1), or(beta, 1))),
  'betavariate(alpha, beta)': (self, alpha, beta) => {
    const y = gamma(self, or(alpha, 1), 1);
    return float(y === 0 ? 0 : y / (y + gamma(self, or(beta, 1), 1)));
  },
  'vonmisesvariate(mu, kappa)': (self, mu, kappa) => float(vonMises(self, or(mu, 0), or(kappa, 0))),
  'paretovariate(alpha)': (self, alpha) => float(pow(1 - self.random(), -1 / or(alpha, 1))),
  'weibullvariate(alpha, beta)': (self, alpha, beta) =>
    float(or(alpha, 1) * pow(-log(1 - self.random()), 1 / or(beta, 1))),
};

function or(v: Value | undefined, absent: number): number {
  return v === undefined ? absent : toDouble(v);
}

/** Kinderman and Monahan's ratio of uniform deviates. */
function normal(self: Uniform): number {
  for (;;) {
    tick(1);
    const u1 = self.random();
    const u2 = 1 - self.random();
    const z = (1.7155277699214135 * (u1 - 0.5)) / u2;
    if ((z * z) / 4 <= -log(u2)) return z;
  }
}

function log(x: number): number {
  return x > 0 ? ln(...fractionOf(x)) : raise('ValueError', 'math domain error');
}

/**
 * Cheng's, the exponential, or Ahrens and Dieter's method by the size of alpha, as CPython chooses.
 */
function gamma(self: Uniform, alpha: number, beta: number): number {
  if (alpha <= 0 || beta <= 0) raise('ValueError', 'gammavariate: alpha and beta must be > 0.0');
  if (alpha > 1) return largeGamma(self, alpha) * beta;
  if (alpha === 1) return -log(1 - self.random()) * beta;
  for (;;) {
    tick(1);
    const b = (Math.E + alpha) / Math.E;
    const p = b * self.random();
    const x = p <= 1 ? pow(p, 1 / alpha) : -log((b - p) / alpha);
    const u = self.random();
    if (p > 1 ? u <= pow(x, alpha - 1) : u <= exp(-x)) return x * beta;
  }
}

function largeGamma(self: Uniform, alpha: number): number {
  const a = Math.sqrt(2 * alpha - 1);
  const b = alpha - log(4);
  const c = alpha + a;
  for (;;) {
    tick(1);
    const u1 = self.random();
    if (!(u1 > 1e-7 && u1 < 0.9999999)) continue;
    const u2 = 1 - self.random();
    const v = log(u1 / (1 - u1)) / a;
    const x = alpha * exp(v);
    const z = u1 * u1 * u2;
    const r = b + c * v - x;
    if (r + (1 + log(4.5)) - 4.5 * z >= 0 || r >= log(z)) return x;
  }
}

function pow(x: number, y: number): number {
  return x === 0 ? x ** y : power(x, y);
}

/** Best and Fisher's wrapped Cauchy envelope; the whole circle when kappa is close to 0. */
function vonMises(self: Uniform, mu: number, kappa: number): number {
  if (kappa <= 1e-6) return TURN * self.random();
  const s = 0.5 / kappa;
  const r = s + Math.sqrt(1 + s * s);
  for (;;) {
    tick(1);
    const z = cos(Math.PI * self.random());
    const d = z / (r + z);
    const u = self.random();
    if (!(u < 1 - d * d || u <= (1 - d) * exp(d))) continue;
    const q = 1 / r;
    const turn = Math.acos((q + z) / (1 + q * z));
    return remainderOf(self.random() > 0.5 ? mu + turn : mu - turn);
  }
}

/** Python's `%` of floats. */
function remainderOf(x: number): number {
  const rest = x % TURN;
  return rest < 0 ? rest + TURN : rest;
}
