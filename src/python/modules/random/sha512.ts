/**
 * SHA-512, with which CPython's `random` turns a text seed into a number. Nothing here is secret.
 */

const MASK = (1n << 64n) - 1n;
/** Computed on first use: few rules seed with a text. */
let known: ReturnType<typeof constants> | undefined;

/** The digest as one number, most significant byte first. */
export function sha512(bytes: Uint8Array): bigint {
  const all = words(bytes);
  known ??= constants();
  let state = known.initial;
  for (let at = 0; at < all.length; at += 16)
    state = compress(state, all.slice(at, at + 16), known.rounds);
  return state.reduce((sum, word) => (sum << 64n) | word, 0n);
}

/** The words of the padded message. */
function words(bytes: Uint8Array): bigint[] {
  const length = Math.ceil((bytes.length + 17) / 128) * 128;
  const padded = new Uint8Array(length);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(length - 8, BigInt(bytes.length) * 8n);
  return Array.from({ length: length / 8 }, (_, i) => view.getBigUint64(i * 8));
}

/**
 * The first 64 bits of the fractions of square and cube roots of primes, which the standard takes
 * as constants.
 */
function constants(): { initial: bigint[]; rounds: bigint[] } {
  const primes = firstPrimes();
  return {
    initial: primes.slice(0, 8).map((prime) => root(prime << 128n, 2n) & MASK),
    rounds: primes.map((prime) => root(prime << 192n, 3n) & MASK),
  };
}

function firstPrimes(): bigint[] {
  const found: bigint[] = [];
  for (let n = 2n; found.length < 80; n += 1n)
    if (found.every((prime) => n % prime !== 0n)) found.push(n);
  return found;
}

/** The integer part of the `degree`-th root. */
function root(n: bigint, degree: bigint): bigint {
  let low = 0n;
  let high = n;
  while (low < high) {
    const middle = (low + high + 1n) >> 1n;
    if (middle ** degree <= n) low = middle;
    else high = middle - 1n;
  }
  return low;
}

function compress(
  state: readonly bigint[],
  block: readonly bigint[],
  rounds: readonly bigint[],
): bigint[] {
  const w = [...block];
  for (let i = 16; i < 80; i += 1) {
    const [x = 0n, y = 0n, p = 0n, q = 0n] = [w[i - 15], w[i - 2], w[i - 16], w[i - 7]];
    const early = turned(x, 1n) ^ turned(x, 8n) ^ (x >> 7n);
    const late = turned(y, 19n) ^ turned(y, 61n) ^ (y >> 6n);
    w.push((p + early + q + late) & MASK);
  }
  let [a = 0n, b = 0n, c = 0n, d = 0n, e = 0n, f = 0n, g = 0n, h = 0n] = state;
  for (let i = 0; i < 80; i += 1) {
    const choice = (e & f) ^ (~e & MASK & g);
    const mixed = turned(e, 14n) ^ turned(e, 18n) ^ turned(e, 41n);
    const first = h + mixed + choice + (rounds[i] ?? 0n) + (w[i] ?? 0n);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const second = (turned(a, 28n) ^ turned(a, 34n) ^ turned(a, 39n)) + majority;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) & MASK, c, b, a, (first + second) & MASK];
  }
  return [a, b, c, d, e, f, g, h].map((x, i) => (x + (state[i] ?? 0n)) & MASK);
}

function turned(x: bigint, by: bigint): bigint {
  return ((x >> by) | (x << (64n - by))) & MASK;
}
