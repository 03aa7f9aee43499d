import { raise } from '../../errors.ts';
import { PerEvaluation, frame } from '../../frame.ts';
import { tick } from '../../meter.ts';
import { hashFloat } from '../../objects/numbers/hash.ts';
import { asFloat, asInt, bitLength } from '../../objects/numbers/number.ts';
import { PyObject } from '../../objects/object.ts';
import { PyClass } from '../../objects/class.ts';
import { types } from '../../objects/types.ts';
import type { Value } from '../../objects/object.ts';
import { cos, fractionOf, ln, sin } from '../../objects/numbers/precise.ts';
import { sha512 } from './sha512.ts';
import { utf8 } from '../../text/encodings.ts';
import { Twister } from './twister.ts';
import { hexDigits } from '../../text/hex.ts';

/** What `random.seed` set for the rest of the evaluation. */
const seeded = new PerEvaluation<Twister>();

/** A source of random numbers: a seeded twister, or the uniform source of the evaluation. */
export class RandomSource extends PyObject {
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
  /** Uniform in [0, n); with a seed, by CPython's rejection of bits. */
  below<T extends number | bigint>(n: T): T;
  below(n: number | bigint): number | bigint {
    if (n <= 0) return typeof n === 'bigint' ? 0n : 0;
    return typeof n === 'bigint' ? this.#belowLarge(n) : this.#belowSmall(n);
  }
  #belowSmall(n: number): number {
    if (this.#twister === undefined) return Math.floor(this.random() * n);
    const k = bitLength(n);
    for (;;) {
      tick(1);
      const r = Number(this.#twister.bits(k));
      if (r < n) return r;
    }
  }
  #belowLarge(n: bigint): bigint {
    if (n <= Number.MAX_SAFE_INTEGER) return BigInt(this.#belowSmall(Number(n)));
    const k = bitLength(n);
    // A source of the evaluation may repeat itself for ever, so that nothing is rejected.
    if (this.#twister === undefined) return (this.bits(k + 64) * n) >> BigInt(k + 64);
    for (;;) {
      tick(k);
      const r = this.#twister.bits(k);
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
export const randomClass: PyClass = new PyClass('Random', [types.object], {
  module: 'random',
  create: make,
});
export const systemClass: PyClass = new PyClass('SystemRandom', [randomClass], {
  module: 'random',
  create: make,
});

/**
 * The number that CPython makes of a seed other than an int.
 * @throws TypeError for unsupported types
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
  const high = bytes.length === 0 ? 0n : BigInt(`0x${hexDigits(bytes)}`);
  return (high << 512n) | sha512(bytes);
}

function make(cls: PyClass, args: readonly Value[]): Value {
  const source = new RandomSource(cls);
  source.seed(args[0] ?? null);
  return source;
}
