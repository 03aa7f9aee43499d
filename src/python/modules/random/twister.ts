/**
 * Mersenne Twister MT19937, seeded and read as CPython's `random.Random` does, so that a seed gives
 * CPython's numbers.
 */
export class Twister {
  readonly #state = new Uint32Array(624);
  #at = 624;
  /**
   * The second of two normal numbers that one step of `gauss()` makes; the next call returns it.
   */
  spare: number | undefined;

  /** The key is the absolute value of the seed in 32-bit words, lowest first. */
  constructor(seed: bigint) {
    const key: number[] = [];
    for (let rest = seed < 0n ? -seed : seed; rest > 0n; rest >>= 32n)
      key.push(Number(rest & 0xffffffffn));
    this.#seedBy(key.length === 0 ? [0] : key);
  }

  #seedBy(key: readonly number[]): void {
    const s = this.#state;
    s[0] = 19650218;
    for (let i = 1; i < 624; i += 1) s[i] = Math.imul(1812433253, this.#folded(i - 1)) + i;
    let i = 1;
    let j = 0;
    const next = (): void => {
      i += 1;
      if (i < 624) return;
      s[0] = this.#word(623);
      i = 1;
    };
    for (let k = Math.max(624, key.length); k > 0; k -= 1) {
      s[i] = (this.#word(i) ^ Math.imul(this.#folded(i - 1), 1664525)) + (key[j] ?? 0) + j;
      next();
      j = (j + 1) % key.length;
    }
    for (let k = 623; k > 0; k -= 1) {
      s[i] = (this.#word(i) ^ Math.imul(this.#folded(i - 1), 1566083941)) - i;
      next();
    }
    s[0] = 0x80000000;
  }
  #word(i: number): number {
    return this.#state[i] ?? 0;
  }
  #folded(i: number): number {
    const word = this.#word(i);
    return word ^ (word >>> 30);
  }
  #refill(): void {
    const s = this.#state;
    for (let i = 0; i < 624; i += 1) {
      const y = (this.#word(i) & 0x80000000) | (this.#word((i + 1) % 624) & 0x7fffffff);
      s[i] = this.#word((i + 397) % 624) ^ (y >>> 1) ^ (y % 2 === 0 ? 0 : 0x9908b0df);
    }
    this.#at = 0;
  }
  /** 32 random bits. */
  word(): number {
    if (this.#at >= 624) this.#refill();
    let y = this.#word(this.#at);
    this.#at += 1;
    y ^= y >>> 11;
    y ^= (y << 7) & 0x9d2c5680;
    y ^= (y << 15) & 0xefc60000;
    return (y ^ (y >>> 18)) >>> 0;
  }
  /** Uniform in [0, 1) with 53 bits. */
  random(): number {
    const [high, low] = [this.word() >>> 5, this.word() >>> 6];
    return (high * 67108864 + low) / 9007199254740992;
  }
  /** `k` random bits. */
  bits(k: number): bigint {
    let result = 0n;
    for (let done = 0; done < k; done += 32) {
      const left = k - done;
      result |= BigInt(left >= 32 ? this.word() : this.word() >>> (32 - left)) << BigInt(done);
    }
    return result;
  }
}
