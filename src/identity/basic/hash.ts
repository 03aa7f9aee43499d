import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

/** The cost of a guess: memory is 128 · n · r bytes, time grows with n · r · p (RFC 7914). */
export type Cost = { readonly n: number; readonly r: number; readonly p: number };

/** A password as the file keeps it: nobody can compute the password from it. */
export type PasswordHash = { readonly cost: Cost; readonly salt: Buffer; readonly hash: Buffer };

/**
 * 16 MiB and five rounds, as OWASP advises: about 0.2 s of one core, so that a second has time for
 * few guesses.
 */
const COST: Cost = { n: 16_384, r: 8, p: 5 };

const LENGTH = 32;
const MOST_MEMORY = 256 * 1024 * 1024;

export async function hashPassword(password: string, cost: Cost = COST): Promise<PasswordHash> {
  const salt = randomBytes(16);
  return { cost, salt, hash: await derive(password, salt, cost) };
}

/** Compares in the same time for right and wrong passwords. */
export async function isPassword(
  password: string,
  { cost, salt, hash }: PasswordHash,
): Promise<boolean> {
  return timingSafeEqual(await derive(password, salt, cost), hash);
}

/** A hash that no password has, for unknown users: their check takes the same time. */
export function noPassword(cost: Cost = COST): PasswordHash {
  return { cost, salt: randomBytes(16), hash: randomBytes(LENGTH) };
}

/** Prints `scrypt,16384,8,5:SALT:HASH`. */
export function printHash({ cost: { n, r, p }, salt, hash }: PasswordHash): string {
  return `scrypt,${n},${r},${p}:${salt.toString('base64url')}:${hash.toString('base64url')}`;
}

/** Reads the three parts that `printHash` writes; undefined for anything else. */
export function readHash(cost: string, salt: string, hash: string): PasswordHash | undefined {
  const read = {
    cost: readCost(cost),
    salt: Buffer.from(salt, 'base64url'),
    hash: Buffer.from(hash, 'base64url'),
  };
  return read.cost !== undefined && read.salt.length >= 16 && read.hash.length === LENGTH
    ? { ...read, cost: read.cost }
    : undefined;
}

function derive(password: string, salt: Buffer, { n, r, p }: Cost): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // NFC gives the same bytes for the same password typed on two systems (RFC 8265).
    scrypt(
      password.normalize('NFC'),
      salt,
      LENGTH,
      { N: n, r, p, maxmem: MOST_MEMORY },
      (error, key) => (error ? reject(error) : resolve(key)),
    );
  });
}

function readCost(text: string): Cost | undefined {
  const [, n, r, p] = (/^scrypt,(\d{1,8}),(\d{1,3}),(\d{1,3})$/.exec(text) ?? []).map(Number);
  if (n === undefined || r === undefined || p === undefined) return undefined;
  return isPowerOfTwo(n) && n >= 1024 && r > 0 && p > 0 && 128 * n * r < MOST_MEMORY
    ? { n, r, p }
    : undefined;
}

function isPowerOfTwo(n: number): boolean {
  return n > 1 && (n & (n - 1)) === 0;
}
