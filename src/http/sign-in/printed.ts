import { identityOf } from '../../identity/principal.ts';
import type { SignIn } from '../../identity/sign-in/signed-in.ts';

/**
 * A sign-in for its user, without its secret name.
 *
 * @param current id of the sign-in that the request uses
 */
export function printSignIn(
  { id, owner, user, since, until, address, agent }: SignIn,
  current: string | undefined,
): object {
  return {
    id,
    identity: identityOf(owner, user),
    since: new Date(since).toISOString(),
    until: new Date(until).toISOString(),
    address,
    agent,
    current: id === current,
  };
}
