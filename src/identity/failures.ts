import { openBuckets, type Takings } from '../peers/buckets.ts';
import { networkOf } from './network.ts';

/** Wrong passwords for one user from one address: at most 20 at once, and 20 more a minute. */
const A_MINUTE = 20;
/**
 * Tries that come at once all begin before the first one fails. They must not lock others of their
 * address out for hours.
 */
const DEBT_MINUTES = 1;

/**
 * A tried password: its user and the client's address. Other clients of the same address are
 * counted apart by user.
 */
type PasswordAttempt = { readonly user: string; readonly address: string };

/** Limits the wrong passwords for a user from one address, in this service. */
type Failures = {
  /** seconds until the next try; undefined when it may come now */
  readonly wait: (attempt: PasswordAttempt) => number | undefined;
  readonly add: (attempt: PasswordAttempt) => void;
};

type FailureLimit = {
  /** how many may come at once, and how many more a minute */
  readonly aMinute?: number;
  /** the other planners of this service, for what is counted together */
  readonly others?: Takings | undefined;
};

/** @param clock milliseconds of any origin, never going back */
export function openFailures(
  clock: () => number,
  { aMinute = A_MINUTE, others }: FailureLimit = {},
): Failures {
  const buckets = openBuckets(clock, others, DEBT_MINUTES);
  return {
    wait: (attempt) => buckets.wait(keyOf(attempt), aMinute),
    add: (attempt) => buckets.take(keyOf(attempt), aMinute),
  };
}

function keyOf({ user, address }: PasswordAttempt): string {
  return JSON.stringify([networkOf(address), user]);
}
