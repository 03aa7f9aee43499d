import type { Takings } from '../../peers/buckets.ts';
import { Problem } from '../../words/problem.ts';
import { openFailures } from '../failures.ts';
import { networkOf } from '../network.ts';
import type { PasswordAccount } from './password-file.ts';
import type { Passwords } from './passwords.ts';

/** A user and a password, from an address. */
export type Typed = { readonly user: string; readonly password: string; readonly address: string };

type CheckParts = {
  readonly passwords: Passwords;
  /** milliseconds, never going back */
  readonly clock: () => number;
  /** a 401 with its reason */
  readonly deny: (because: string) => Problem;
  /** the other planners of this service: a wrong password counts at all */
  readonly others: Takings | undefined;
};

/**
 * Checks passwords, and lets nobody guess: all ways to send one count together.
 *
 * @returns a check that throws Problem `credential-invalid` (401) and `too-many-failures` (429)
 */
export function openPasswordCheck({ passwords, clock, deny, others }: CheckParts) {
  const failures = openFailures(clock, { others });
  return async ({ user, password, address }: Typed): Promise<PasswordAccount> => {
    // Also before a password that was right a moment ago: it would be an answer to any guess.
    const wait = failures.wait({ user, address });
    const known = wait === undefined ? passwords.known(user, password) : undefined;
    if (known !== undefined) return known;
    const verdict =
      wait === undefined ? await passwords.verify(user, password, networkOf(address)) : 'busy';
    if (verdict === 'busy') {
      throw new Problem(
        'too-many-failures',
        'There were too many tries with a password; try again later.',
        { headers: { 'Retry-After': `${wait ?? 5}` } },
      );
    }
    if (verdict !== undefined) return verdict;
    failures.add({ user, address });
    throw deny('the user or the password is wrong');
  };
}
