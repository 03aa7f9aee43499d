import { raise } from '../../errors.ts';
import { tick } from '../../meter.ts';
import { lt, truthy } from '../../objects/compare.ts';
import { PyList } from '../../objects/collections/list.ts';
import { defineClassMethod, defineGetters, defineMethods } from '../../objects/classes/native.ts';
import { float, indexOf, toDouble } from '../../objects/numbers/number.ts';
import { PyObject } from '../../objects/object.ts';
import { types } from '../../objects/types.ts';
import type { Value } from '../../objects/object.ts';
import { fractionOf, ln } from '../../objects/numbers/precise.ts';
import { call, items } from '../../objects/protocol.ts';
import { erf } from '../../modules/math/error-function.ts';
import { random } from '../../modules/random/module.ts';
import { fail } from './error.ts';
import { meanAndDeviation } from './spread.ts';
import { normalClass, ROOT_2, Normal } from './normal.ts';

normalClass.create = (_cls, args, kwargs) => {
  const [mu, sigma] = [
    args[0] ?? kwargs?.get('mu') ?? float(0),
    args[1] ?? kwargs?.get('sigma') ?? float(1),
  ];
  if (args.length > 2)
    raise(
      'TypeError',
      `NormalDist.__init__() takes from 1 to 3 positional arguments but ${args.length + 1} were given`,
    );
  if (truthy(lt(sigma, float(0)))) fail('sigma must be non-negative');
  return new Normal(toDouble(call(types.float, [mu])), toDouble(call(types.float, [sigma])));
};
defineClassMethod(normalClass, 'from_samples(data)', (_cls, data: Value) => {
  const [mu, sigma] = meanAndDeviation(items(data));
  return new Normal(mu, sigma);
});
defineGetters(normalClass, Normal, {
  mean: (self) => float(self.mu),
  median: (self) => float(self.mu),
  mode: (self) => float(self.mu),
  stdev: (self) => float(self.sigma),
  variance: (self) => float(self.variance),
});
defineMethods(normalClass, Normal, {
  'pdf(x)': (self, x: Value) => float(self.pdf(toDouble(x))),
  'cdf(x)': (self, x: Value) => float(self.cdf(toDouble(x))),
  'inv_cdf(p)': (self, p: Value) => float(self.inverse(toDouble(p))),
  'quantiles(n=)': (self, n = 4) => {
    const count = indexOf(n);
    tick(Math.max(0, count));
    return new PyList(
      Array.from({ length: Math.max(0, count - 1) }, (_, i) =>
        float(self.inverse((i + 1) / count)),
      ),
    );
  },
  'overlap(other)': (self, other: Value) =>
    other instanceof Normal
      ? float(overlap(self, other))
      : raise('TypeError', 'Expected another NormalDist instance'),
  'zscore(x)': (self, x: Value) =>
    self.sigma === 0
      ? fail('zscore() not defined when sigma is zero')
      : float((toDouble(x) - self.mu) / self.sigma),
  'samples(n, *, seed=)': (self, n: Value, seed) => samples(self, indexOf(n), seed ?? null),
});

/** The overlap of two distributions. @throws StatisticsError */
function overlap(a: Normal, b: Normal): number {
  const isSwapped = b.sigma < a.sigma || (b.sigma === a.sigma && b.mu < a.mu);
  const [x, y] = isSwapped ? [b, a] : [a, b];
  if (x.variance === 0 || y.variance === 0) fail('overlap() not defined when sigma is zero');
  const [spread, apart] = [y.variance - x.variance, Math.abs(y.mu - x.mu)];
  if (spread === 0) return 1 - erf(apart / (2 * x.sigma * ROOT_2));
  const middle = x.mu * y.variance - y.mu * x.variance;
  const half =
    x.sigma *
    y.sigma *
    Math.sqrt(apart * apart + spread * ln(...fractionOf(y.variance / x.variance)));
  const [first, second] = [(middle + half) / spread, (middle - half) / spread];
  return 1 - (Math.abs(y.cdf(first) - x.cdf(first)) + Math.abs(y.cdf(second) - x.cdf(second)));
}

function samples(self: Normal, n: number, seed: Value): PyList {
  tick(Math.max(0, n));
  const source = seed === null ? random : call(random.members.get('Random') ?? null, [seed]);
  const gauss = source instanceof PyObject ? (source.attribute('gauss') ?? null) : null;
  return new PyList(
    Array.from({ length: Math.max(0, n) }, () => call(gauss, [float(self.mu), float(self.sigma)])),
  );
}
