/** A seeded source of choices: the same seed gives the same programs on every machine. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }
  /** Uniform in [0, 1). */
  roll(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }
  /** A whole number from 0 up to, not including, `n`. */
  below(n: number): number {
    return Math.floor(this.roll() * n);
  }
  chance(p: number): boolean {
    return this.roll() < p;
  }
  /** One of a list that has at least one. */
  pick<T>(of: readonly [T, ...T[]]): T {
    return of[this.below(of.length)] ?? of[0];
  }
  /** One of a list; `fallback` when it is empty. */
  among<T>(of: readonly T[], fallback: T): T {
    return of[this.below(of.length)] ?? fallback;
  }
}
