import { hash } from 'node:crypto';
import type { IdentityTerms } from '../../site/identity.ts';
import { printHash } from '../basic/hash.ts';
import type { PasswordAccount } from '../basic/password-file.ts';
import type { Passwords } from '../basic/passwords.ts';
import type { SignIn } from './signed-in.ts';

/** Changes with the password of a user, not with the roles. */
export function accountProof({ user, password }: PasswordAccount): string {
  return hash('sha256', `${user}:${printHash(password)}`);
}

type StandingParts = {
  readonly terms: Pick<IdentityTerms, 'tokens' | 'oidc'>;
  readonly passwords: Pick<Passwords, 'account'> | undefined;
};

/**
 * Says whether a sign-in goes on: its user, with the same password or token, or its issuer must
 * still be in the site's files.
 *
 * @returns the roles: those in the site's files now, or those that the issuer gave
 */
export function openStanding({ terms, passwords }: StandingParts) {
  const tokens = new Map(terms.tokens.map((token) => [token.sha256, token]));
  return async ({
    kind,
    proof,
    user,
    roles,
  }: Pick<SignIn, 'kind' | 'proof' | 'user' | 'roles'>): Promise<readonly string[] | undefined> => {
    switch (kind) {
      case 'password': {
        const account = await passwords?.account(user);
        return account !== undefined && accountProof(account) === proof ? account.roles : undefined;
      }
      case 'token': {
        const token = tokens.get(proof);
        return token?.user === user ? token.roles : undefined;
      }
      case 'oidc':
        return terms.oidc.some(({ issuer, client }) => issuer === proof && client !== undefined)
          ? roles
          : undefined;
    }
  };
}
