import { binary } from '../../objects/numbers/arithmetic.ts';
import { COMPOUND } from '../../objects/key.ts';
import { asNumber, float, toDouble } from '../../objects/numbers/number.ts';
import { PyObject } from '../../objects/object.ts';
import { PyClass } from '../../objects/class.ts';
import { types } from '../../objects/types.ts';
import type { BinaryOp, Key, UnaryOp, Value } from '../../objects/object.ts';
import { exp } from '../../objects/numbers/precise.ts';
import { floatText } from '../../text/float.ts';
import { erf } from '../../modules/math/error-function.ts';
import { norm } from '../../modules/math/exact-sums.ts';
import { fail } from './error.ts';
import { standardQuantile } from './normal-quantile.ts';

export const normalClass = new PyClass('NormalDist', [types.object], { module: 'statistics' });
export const ROOT_2 = Math.sqrt(2);

/** `statistics.NormalDist`: a normal distribution. */
export class Normal extends PyObject {
  readonly mu: number;
  readonly sigma: number;

  constructor(mu: number, sigma: number) {
    super();
    this.mu = mu;
    this.sigma = sigma;
  }
  get cls(): PyClass {
    return normalClass;
  }
  get variance(): number {
    return this.sigma * this.sigma;
  }
  override repr(): string {
    return `NormalDist(mu=${floatText(this.mu)}, sigma=${floatText(this.sigma)})`;
  }
  override equals(other: Value): Value | undefined {
    return other instanceof Normal ? this.mu === other.mu && this.sigma === other.sigma : undefined;
  }
  override key(): Key {
    return `${COMPOUND}n${this.mu + 0},${this.sigma + 0}`;
  }
  override unary(op: UnaryOp): Value | undefined {
    return op === '~' ? undefined : new Normal(op === '-' ? -this.mu : this.mu, this.sigma);
  }
  override binary(op: BinaryOp, right: Value): Value | undefined {
    if (right instanceof Normal) {
      if (op !== '+' && op !== '-') return undefined;
      return new Normal(
        op === '+' ? this.mu + right.mu : this.mu - right.mu,
        norm([this.sigma, right.sigma]),
      );
    }
    const applied = (to: number): number => toDouble(binary(op, float(to), right));
    switch (op) {
      case '+':
      case '-':
        return new Normal(applied(this.mu), this.sigma);
      case '*':
      case '/': {
        const mu = applied(this.mu);
        const size = Math.abs(toDouble(right));
        return new Normal(mu, op === '*' ? this.sigma * size : this.sigma / size);
      }
      default:
        return undefined;
    }
  }
  override reflected(op: BinaryOp, left: Value): Value | undefined {
    if (op === '-' && asNumber(left) !== undefined)
      return new Normal(-(this.mu - toDouble(left)), this.sigma);
    return op === '+' || op === '*' ? this.binary(op, left) : undefined;
  }
  cdf(x: number): number {
    if (this.sigma === 0) fail('cdf() not defined when sigma is zero');
    return 0.5 * (1 + erf((x - this.mu) / (this.sigma * ROOT_2)));
  }
  pdf(x: number): number {
    if (this.variance === 0) fail('pdf() not defined when sigma is zero');
    const difference = x - this.mu;
    return (
      exp((difference * difference) / (-2 * this.variance)) / Math.sqrt(2 * Math.PI * this.variance)
    );
  }
  inverse(p: number): number {
    if (p <= 0 || p >= 1) fail('p must be in the range 0.0 < p < 1.0');
    if (this.sigma <= 0) fail('cdf() not defined when sigma at or below zero');
    return this.mu + standardQuantile(p) * this.sigma;
  }
}
