import { networkOf } from './network.ts';

/** Wrong passwords for one user from one address: at most 20 at once, and 20 more a minute. */
const A_MINUTE = 20;
const MOST_PAIRS = 100_000;

type Bucket = { readonly left: number; readonly at: number };

/**
 * A tried password: its user and the client's address. Other clients of the same address are
 * counted apart by user.
 */
type PasswordAttempt = { readonly user: string; readonly address: string };

/** Limits the wrong passwords for a user from one address, in this process. */
type Failures = {
  /** seconds until the next try; undefined when it may come now */
  readonly wait: (attempt: PasswordAttempt) => number | undefined;
  readonly add: (attempt: PasswordAttempt) => void;
};

/**
 * @param clock milliseconds since 1970
 * @param aMinute how many may come at once, and how many more a minute
 */
export function openFailures(clock: () => number, aMinute = A_MINUTE): Failures {
  const buckets = new Map<string, Bucket>();
  const leftOf = (key: string, now: number): number => {
    const bucket = buckets.get(key);
    return bucket === undefined
      ? aMinute
      : Math.min(aMinute, bucket.left + ((now - bucket.at) / 60_000) * aMinute);
  };
  return {
    wait: (attempt) => {
      const left = leftOf(keyOf(attempt), clock());
      return left >= 1 ? undefined : Math.ceil(((1 - left) / aMinute) * 60);
    },
    add: (attempt) => {
      const [key, now] = [keyOf(attempt), clock()];
      const left = Math.max(0, leftOf(key, now) - 1);
      buckets.delete(key);
      buckets.set(key, { left, at: now });
      const [oldest] = buckets.keys();
      if (buckets.size > MOST_PAIRS && oldest !== undefined) buckets.delete(oldest);
    },
  };
}

function keyOf({ user, address }: PasswordAttempt): string {
  return JSON.stringify([networkOf(address), user]);
}
