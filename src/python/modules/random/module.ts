import { randrange } from './randrange.ts';
import { choice, choices, population, repeatedBy, sample, shuffle } from './sampling.ts';
import { RandomSource, randomClass, systemClass } from './source.ts';
import { raise } from '../../errors.ts';
import { tick } from '../../meter.ts';
import { PyBytes } from '../../objects/collections/bytes.ts';
import { add, mul, sub } from '../../objects/numbers/arithmetic.ts';
import { PyList } from '../../objects/collections/list.ts';
import { PyModule } from '../../objects/classes/module.ts';
import { defineMethods } from '../../objects/classes/native.ts';
import type { NativeMethod } from '../../objects/classes/native.ts';
import { float, indexOf, integer, toDouble } from '../../objects/numbers/number.ts';
import type { Value } from '../../objects/object.ts';
import { items } from '../../objects/protocol.ts';
import { distributions } from './distributions.ts';

const METHODS: Record<string, NativeMethod<RandomSource>> = {
  'seed(a=, version=)': (self, v) => {
    self.seed(v ?? null);
    return null;
  },
  'random()': (self) => float(self.random()),
  'uniform(a, b)': (self, a: Value, b: Value) => add(a, mul(sub(b, a), float(self.random()))),
  'randint(a, b)': (self, a: Value, b: Value) => randrange(self, a, add(b, 1), undefined),
  'randrange(start, stop=, step=)': randrange,
  'getrandbits(k, /)': (self, k: Value) => {
    tick(indexOf(k));
    return integer(self.bits(indexOf(k)));
  },
  'randbytes(n)': (self, n: Value) => {
    const length = indexOf(n);
    if (length < 0) raise('ValueError', 'number of bits must be non-negative');
    tick(length * 8);
    const bits = self.bits(length * 8);
    return new PyBytes(
      Uint8Array.from({ length }, (_, i) => Number((bits >> BigInt(i * 8)) & 255n)),
    );
  },
  'choice(seq)': choice,
  'choices(population, weights=, *, cum_weights=, k=)': (
    self,
    from: Value,
    weights,
    cumulative,
    k,
  ) => new PyList(choices(self, from, weights, cumulative, k === undefined ? 1 : k)),
  'sample(population, k, *, counts=)': (self, from: Value, k: Value, counts) => {
    const all = population(from, 'sample');
    const repeated = (counts ?? null) === null ? all : repeatedBy(all, items(counts ?? null));
    return new PyList(sample(self, repeated, indexOf(k)));
  },
  'shuffle(x)': shuffle,
  'gauss(mu=, sigma=)': (self, mu, sigma) =>
    float(toDouble(mu ?? 0) + self.gauss() * toDouble(sigma ?? 1)),
  'triangular(low=, high=, mode=)': (self, low, high, mode) => {
    const [a, b] = [toDouble(low ?? 0), toDouble(high ?? 1)];
    const u = self.random();
    if (mode !== undefined && mode !== null && a === b) return low ?? float(a);
    const c = mode === undefined || mode === null ? 0.5 : (toDouble(mode) - a) / (b - a);
    return float(
      u > c ? b + (a - b) * Math.sqrt((1 - u) * (1 - c)) : a + (b - a) * Math.sqrt(u * c),
    );
  },
};
defineMethods(randomClass, RandomSource, METHODS);
defineMethods(randomClass, RandomSource, distributions);

const shared = new RandomSource(randomClass, true);

/**
 * The module `random`. Its functions use the evaluation's source, so that a decision is repeatable;
 * `random.seed` lasts until the evaluation ends. With a seed the numbers are CPython's.
 */
export const random: PyModule = new PyModule('random', [
  ['Random', randomClass],
  ['SystemRandom', systemClass],
  ...[...randomClass.dict.keys()].map((name): readonly [string, Value] => [
    name,
    randomClass.lookupFor(shared, name) ?? null,
  ]),
]);
