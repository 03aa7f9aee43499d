type Entry<Value> = { readonly value: Value; readonly until: number };

/**
 * A bounded memory of verified credentials by their digest; each entry ends at its time.
 *
 * @param most largest number of entries; above it, the least recently used one goes
 */
export class Remembered<Value> {
  readonly #entries = new Map<string, Entry<Value>>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  /** @param now milliseconds since 1970 */
  get(key: string, now: number): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    if (entry.until <= now) return undefined;
    this.#entries.set(key, entry);
    return entry.value;
  }

  set(key: string, value: Value, until: number): void {
    this.#entries.delete(key);
    this.#entries.set(key, { value, until });
    if (this.#entries.size <= this.#most) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }

  clear(): void {
    this.#entries.clear();
  }
}

/**
 * How much time has passed, by a clock that somebody may set: a clock that was put back goes on
 * from there, so that what holds for minutes does not hold for hours.
 *
 * @param clock milliseconds since 1970
 * @returns milliseconds since the first look, never going back
 */
export function steadyClock(clock: () => number): () => number {
  let before = clock();
  let passed = 0;
  return () => {
    const now = clock();
    passed += Math.max(0, now - before);
    before = now;
    return passed;
  };
}
