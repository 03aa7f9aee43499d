import { execFileSync } from 'node:child_process';
import { userInfo } from 'node:os';
import { isRoot } from '../../places/reachable.ts';

/** A user that jobs run as, by name and numbers. */
export type Account = { readonly user: string; readonly uid: number; readonly gid: number };

/**
 * The account of jobs; undefined when they run as the service's own user.
 *
 * @throws Error that says what to change: a service that is root runs nobody's programs as root
 *   unless the site says so.
 */
export function accountOf(engine: string, user: string | undefined): Account | undefined {
  if (user === undefined) {
    if (isRoot())
      throw new Error(
        `${engine} needs 'user', the user that jobs run as, when the service is root`,
      );
    return undefined;
  }
  if (!isRoot() && user !== userInfo().username)
    throw new Error(
      `only root can submit jobs of another user: leave ${engine}.user out, or run the service as ${user}`,
    );
  try {
    return { user, uid: number('-u', user), gid: number('-g', user) };
  } catch (error) {
    throw new Error(`${engine}.user: this machine has no user ${user}`, { cause: error });
  }
}

function number(flag: '-u' | '-g', user: string): number {
  const text = execFileSync('id', [flag, '--', user], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: 5000,
  });
  return Number(text.trim());
}
