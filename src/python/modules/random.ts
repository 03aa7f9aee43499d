import { raise } from '../errors.ts';
import { PerEvaluation, frame } from '../frame.ts';
import { tick } from '../meter.ts';
import { PyBytes } from '../objects/collections/bytes.ts';
import { add, mul, sub } from '../objects/numbers/arithmetic.ts';
import { hashFloat } from '../objects/numbers/hash.ts';
import { PyList } from '../objects/collections/list.ts';
import { PyModule } from '../objects/classes/module.ts';
import { defineMethods } from '../objects/classes/native.ts';
import type { NativeMethod } from '../objects/classes/native.ts';
import {
  asFloat,
  asInt,
  bitLength,
  float,
  indexOf,
  integer,
  toDouble,
} from '../objects/numbers/number.ts';
import { PyObject } from '../objects/object.ts';
import { PyClass } from '../objects/class.ts';
import { typeName, types } from '../objects/types.ts';
import type { Value } from '../objects/object.ts';
import { cos, fractionOf, ln, sin } from '../objects/numbers/precise.ts';
import { items, lengthOf } from '../objects/protocol.ts';
import { PyRange } from '../objects/collections/range.ts';
import { PySet } from '../objects/collections/set.ts';
import { PyDict } from '../objects/collections/dict.ts';
import { deviates } from './distributions.ts';
import { sha512 } from './sha512.ts';
import { utf8 } from '../text/encodings.ts';
import { Twister } from './twister.ts';

/** What `random.seed` set for the rest of the evaluation. */
const seeded = new PerEvaluation<Twister>();

/** Where random numbers come from: a seeded twister, or the uniform source of the evaluation. */
class Source extends PyObject {
  readonly cls: PyClass;
  readonly #isShared: boolean;
  #own: Twister | undefined;

  constructor(cls: PyClass, isShared = false) {
    super();
    this.cls = cls;
    this.#isShared = isShared;
  }
  get #twister(): Twister | undefined {
    return this.#isShared ? seeded.get() : this.#own;
  }
  seed(v: Value): void {
    if (this.cls === systemClass) return;
    const n = asInt(v) ?? (v === null ? undefined : seedOf(v));
    const twister = n === undefined ? undefined : new Twister(BigInt(n));
    if (this.#isShared) seeded.set(twister);
    else this.#own = twister;
  }
  gauss(): number {
    const twister = this.#twister;
    const spare = twister?.spare;
    if (twister !== undefined) twister.spare = undefined;
    if (spare !== undefined) return spare;
    const angle = this.random() * 2 * Math.PI;
    const rest = 1 - this.random();
    const radius = Math.sqrt(-2 * ln(...fractionOf(rest)));
    if (twister !== undefined) twister.spare = sin(angle) * radius;
    return cos(angle) * radius;
  }
  random(): number {
    tick(1);
    if (this.#twister !== undefined) return this.#twister.random();
    return frame.random === undefined
      ? raise('NotImplementedError', 'this evaluation was given no source of randomness')
      : frame.random();
  }
  /** Uniform in [0, n), by CPython's rejection of bits when seeded. */
  below(n: number): number {
    if (n <= 0) return 0;
    if (this.#twister === undefined) return Math.floor(this.random() * n);
    const k = bitLength(n);
    for (;;) {
      tick(1);
      const r = Number(this.#twister.bits(k));
      if (r < n) return r;
    }
  }
  bits(k: number): bigint {
    if (this.#twister !== undefined) return this.#twister.bits(k);
    let result = 0n;
    for (let i = 0; i < k; i += 1) result = result * 2n + BigInt(Math.floor(this.random() * 2));
    return result;
  }
  get isSeeded(): boolean {
    return this.#twister !== undefined;
  }
}
const randomClass: PyClass = new PyClass('Random', [types.object], {
  module: 'random',
  create: make,
});
const systemClass: PyClass = new PyClass('SystemRandom', [randomClass], {
  module: 'random',
  create: make,
});

const METHODS: Record<string, NativeMethod<Source>> = {
  'seed(a=, version=)': (self, v) => {
    self.seed(v ?? null);
    return null;
  },
  'random()': (self) => float(self.random()),
  'uniform(a, b)': (self, a: Value, b: Value) => add(a, mul(sub(b, a), float(self.random()))),
  'randint(a, b)': (self, a: Value, b: Value) => randrange(self, a, indexOf(b) + 1, 1),
  'randrange(start, stop=, step=)': (self, start: Value, stop, step) =>
    randrange(self, start, stop, step),
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
  'choice(seq)': (self, seq: Value) => {
    if (seq instanceof PyDict && seq.truthy()) return seq.item(self.below(seq.length()));
    if (seq instanceof PyDict) raise('IndexError', 'Cannot choose from an empty sequence');
    if (lengthOf(seq) === 0) raise('IndexError', 'Cannot choose from an empty sequence');
    const from = population(seq, 'choice');
    return from[self.below(from.length)] ?? null;
  },
  'choices(population, weights=, *, cum_weights=, k=)': (
    self,
    from: Value,
    weights,
    cumulative,
    k,
  ) => new PyList(choices(self, from, weights, cumulative, k === undefined ? 1 : k)),
  'sample(population, k, *, counts=)': (self, from: Value, k: Value, counts) =>
    counts === undefined
      ? new PyList(sample(self, population(from, 'sample'), indexOf(k)))
      : raise('NotImplementedError', 'sample() with counts is not supported'),
  'shuffle(x)': (self, v: Value) => shuffle(self, v),
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
defineMethods(randomClass, isSource, METHODS);
defineMethods(randomClass, isSource, deviates);

const shared = new Source(randomClass, true);

/**
 * The module `random`. Its functions use the evaluation's own source, so that a decision can be
 * repeated; `random.seed` lasts until the evaluation ends. With a seed the numbers are CPython's.
 */
export const random: PyModule = new PyModule('random', [
  ['Random', randomClass],
  ['SystemRandom', systemClass],
  ...[...randomClass.dict.keys()].map((name): readonly [string, Value] => [
    name,
    randomClass.lookupFor(shared, name) ?? null,
  ]),
]);

/**
 * The number CPython seeds with for a value that is no int.
 * @throws TypeError for what is no seed there
 */
function seedOf(v: Value): bigint {
  const x = asFloat(v);
  if (x !== undefined) return BigInt.asUintN(64, hashFloat(x));
  if (typeof v !== 'string')
    return raise(
      'TypeError',
      'The only supported seed types are: None,\nint, float, str, bytes, and bytearray.',
    );
  tick(v.length >> 1);
  const bytes = utf8(v);
  const high =
    bytes.length === 0
      ? 0n
      : BigInt(`0x${Array.from(bytes, (b) => b.toString(16).padStart(2, '0')).join('')}`);
  return (high << 512n) | sha512(bytes);
}

function make(cls: PyClass, args: readonly Value[]): Value {
  const source = new Source(cls);
  source.seed(args[0] ?? null);
  return source;
}

function randrange(
  self: Source,
  start: Value,
  stop: Value | undefined,
  step: Value | undefined,
): Value {
  const range =
    stop === undefined || stop === null
      ? PyRange.of(0, start, 1)
      : PyRange.of(start, stop, step ?? 1);
  if (range.count === 0)
    raise(
      'ValueError',
      `empty range for randrange() (${range.start}, ${range.stop}, ${range.stop - range.start})`,
    );
  return range.start + range.step * self.below(range.count);
}

/**
 * CPython's algorithm when seeded; else each pick is taken out of the rest, so that a
 * source of zeros keeps the order.
 */
function sample(self: Source, from: Value[], k: number): Value[] {
  const n = from.length;
  if (k < 0 || k > n) raise('ValueError', 'Sample larger than population or is negative');
  tick(n);
  if (!self.isSeeded) return takenOut(self, from, k);
  const setSize = k > 5 ? 21 + 4 ** Math.ceil(Math.log(k * 3) / Math.log(4)) : 21;
  if (n <= setSize) {
    const pool = [...from];
    return Array.from({ length: k }, (_, i) => {
      const at = self.below(n - i);
      const picked = pool[at] ?? null;
      pool[at] = pool[n - i - 1] ?? null;
      return picked;
    });
  }
  const taken = new Set<number>();
  return Array.from({ length: k }, () => {
    let at = self.below(n);
    while (taken.has(at)) at = self.below(n);
    taken.add(at);
    return from[at] ?? null;
  });
}

/**
 * `k` picks, each gone from what the next picks of; a rank function draws all
 * destinations in every decision.
 */
function takenOut(self: Source, from: Value[], k: number): Value[] {
  const picked: Value[] = [];
  while (picked.length < k) {
    const at = self.below(from.length);
    picked.push(from[at] ?? null);
    from.copyWithin(at, at + 1);
    from.pop();
  }
  return picked;
}

function choices(
  self: Source,
  source: Value,
  weights: Value | undefined,
  cumulative: Value | undefined,
  times: Value,
): Value[] {
  // The population is only looked at when there is something to choose, its length before.
  const n = lengthOf(source);
  const picker = (): ((at: number) => Value) => {
    if (source instanceof PyDict) return (at) => source.item(at);
    const from = population(source, 'choices');
    return (at) => from[at] ?? null;
  };
  const picked = (times: number, next: () => number): Value[] => {
    tick(Math.max(0, times));
    if (times <= 0) return [];
    const pick = picker();
    return Array.from({ length: times }, () => pick(next()));
  };
  if ((weights ?? null) === null && (cumulative ?? null) === null) {
    const k = indexOf(times);
    if (k > 0 && n === 0 && !(source instanceof PyDict)) {
      picker();
      raise('IndexError', 'list index out of range');
    }
    return picked(k, () => Math.floor(self.random() * n));
  }
  let sum = 0;
  const totals = items(cumulative ?? weights ?? null).map((w) =>
    cumulative === undefined ? (sum += toDouble(w)) : toDouble(w),
  );
  if (totals.length !== n)
    raise('ValueError', 'The number of weights does not match the population');
  const total = totals.at(-1) ?? 0;
  if (total <= 0) raise('ValueError', 'Total of weights must be greater than zero');
  if (!Number.isFinite(total)) raise('ValueError', 'Total of weights must be finite');
  return picked(indexOf(times), () => {
    const r = self.random() * total;
    const at = totals.slice(0, -1).findIndex((t) => r < t);
    return at < 0 ? n - 1 : at;
  });
}

/** A sequence to choose from. Sets are refused, as CPython does. */
function population(v: Value, fn: string): Value[] {
  const isView = v instanceof PyObject && /^o?dict_/.test(v.cls.name);
  if (v instanceof PySet || v instanceof PyDict || isView)
    raise(
      'TypeError',
      fn === 'sample'
        ? 'Population must be a sequence.  For dicts or sets, use sorted(d).'
        : `'${typeName(v)}' object is not subscriptable`,
    );
  if (v instanceof PyRange) tick(v.count);
  return items(v);
}

function shuffle(self: Source, v: Value): null {
  if (!(v instanceof PyList))
    return raise('TypeError', `'${typeName(v)}' object does not support item assignment`);
  for (let i = v.items.length - 1; i > 0; i -= 1) {
    const j = self.below(i + 1);
    const [a, b] = [v.items[i] ?? null, v.items[j] ?? null];
    [v.items[i], v.items[j]] = [b, a];
  }
  return null;
}

function isSource(v: Value): v is Source {
  return v instanceof Source;
}
