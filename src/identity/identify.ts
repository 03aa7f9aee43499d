import { hash } from 'node:crypto';
import type { IdentityTerms, SiteToken } from '../site/identity.ts';
import type { Takings } from '../peers/buckets.ts';
import { Problem } from '../words/problem.ts';
import { openPasswordCheck } from './basic/check.ts';
import { openPasswords, type Passwords } from './basic/passwords.ts';
import { challengesOf } from './challenges.ts';
import { readCredential } from './credential.ts';
import { fetchKeySet, IssuerAway } from './oidc/discovery.ts';
import { openKeys } from './oidc/keys.ts';
import { verifyToken, type TrustedIssuer } from './oidc/verify.ts';
import { issuedOwner, localOwner, type Principal } from './principal.ts';
import { Remembered, steadyClock } from './remembered.ts';
import { checkSecrets } from './sign-in/client-secret.ts';
import { accountProof, openStanding } from './sign-in/standing.ts';
import type { ProvenUser, SignIn } from './sign-in/signed-in.ts';

type User = Extract<Principal, { kind: 'user' }>;

/** What a user of the site's own files types to sign in. */
export type Secret =
  | { readonly user: string; readonly password: string }
  | { readonly token: string };

/** Finds out who sends a request, in the ways that the site file allows. */
export type Doorkeeper = {
  /**
   * Identifies the sender of a request.
   *
   * @param authorization value of the Authorization header, if any
   * @param address address of the sender, to limit guesses of passwords
   * @throws Problem `credential-invalid` (401) for an invalid credential, which is never taken as
   * anonymous; `credential-missing` (401) when the site requires one; `credential-unchecked` (503)
   * while the issuer does not answer; `too-many-failures` (429).
   */
  readonly identify: (authorization: string | undefined, address: string) => Promise<Principal>;
  /**
   * Identifies the user of a sign-in, with the roles that the site's files give now.
   *
   * @param signIn undefined: the browser names one that does not exist
   * @throws Problem `credential-invalid` (401) if it has ended, or its user or issuer is gone
   */
  readonly identifySignedIn: (signIn: SignIn | undefined) => Promise<Principal>;
  /**
   * Looks whether the password file still has a user of `identify`, with the same password.
   * Undefined for other credentials, which end at a time that the principal has, or with the
   * service.
   */
  readonly recheckOf: (principal: Principal) => (() => Promise<boolean>) | undefined;
  /** Do the site's files still have the user, or the issuer, of a sign-in? */
  readonly isGood: (signIn: SignIn) => Promise<boolean>;
  /**
   * Proves a user of the password file, or of a token of the site file.
   *
   * @throws Problem as `identify`
   */
  readonly prove: (secret: Secret, address: string) => Promise<ProvenUser>;
  readonly issuers: readonly TrustedIssuer[];
  /** asks every issuer for its keys ahead of the first token; never throws */
  readonly warm: () => Promise<void>;
  /** what does not work, in public words; also asks issuers again, without waiting for them */
  readonly problems: () => readonly string[];
  /** what an operator should change although it works */
  readonly warnings: () => readonly string[];
};

/**
 * How long a verified token is taken without a new check, unless it ends before: a token that the
 * issuer withdraws is refused after this.
 */
const REMEMBERED_MS = 5 * 60_000;
const MOST_REMEMBERED = 10_000;

/**
 * Opens the identification of a site. Asks no issuer yet.
 *
 * @param clock milliseconds since 1970
 * @param others the other planners of this service
 * @throws CannotStart for a faulty password file, or a missing client secret
 */
export async function openDoorkeeper(
  terms: IdentityTerms,
  clock: () => number,
  others?: Takings,
): Promise<Doorkeeper> {
  const steady = steadyClock(clock);
  const remembered = new Remembered<User>(MOST_REMEMBERED);
  const issuers = terms.oidc.map((one): TrustedIssuer => ({
    terms: one,
    keys: openKeys({
      fetchKeySet: () => fetchKeySet(one.issuer),
      clock: steady,
      onChange: () => remembered.clear(),
    }),
  }));
  const passwords: Passwords | undefined =
    terms.passwords === undefined ? undefined : await openPasswords(terms.passwords, steady);
  const secretWarnings = await checkSecrets(terms);
  const administrators = new Set(terms.administrators);

  const principal = (owner: string, user: string, roles: readonly string[]): User => ({
    kind: 'user',
    owner,
    user,
    roles,
    administrator: roles.some((role) => administrators.has(role)),
  });
  const local = ({ user, roles }: Pick<SiteToken, 'user' | 'roles'>): User =>
    principal(localOwner(user), user, roles);
  // The site file holds the SHA-256 of a token: a lookup takes the same time for right and wrong
  // tokens, and the file holds nothing to steal.
  const tokens = new Map(terms.tokens.map((token) => [token.sha256, local(token)]));

  const deny = (because: string): Problem =>
    new Problem('credential-invalid', `The credential is not accepted: ${because}.`, {
      headers: { 'WWW-Authenticate': challengesOf(terms, { kind: 'invalid', because }) },
    });
  const verify = async (token: string): Promise<Awaited<ReturnType<typeof verifyToken>>> => {
    try {
      return await verifyToken(token, issuers, clock());
    } catch (error) {
      if (!(error instanceof IssuerAway)) throw error;
      throw new Problem(
        'credential-unchecked',
        'The issuer of the token does not give its keys now; try again soon.',
        { headers: { 'Retry-After': '10' } },
      );
    }
  };
  const byToken = async (token: string): Promise<User> => {
    const digest = sha256(token);
    const known = tokens.get(digest) ?? remembered.get(digest, steady());
    if (known !== undefined) return known;
    if (issuers.length === 0) throw deny('this site does not know the token');
    const verdict = await verify(token);
    if (verdict.kind === 'invalid') throw deny(verdict.because);
    const {
      claimed: { subject, user, roles },
      issuer,
      until,
    } = verdict;
    const found = { ...principal(issuedOwner(issuer, subject), user, roles), until };
    remembered.set(digest, found, steady() + Math.min(until - clock(), REMEMBERED_MS));
    return found;
  };
  const checkPassword = passwords && openPasswordCheck({ passwords, clock: steady, deny, others });
  const rolesNow = openStanding({ terms, passwords });
  const rechecks = new WeakMap<Principal, () => Promise<boolean>>();

  return {
    identify: async (authorization, address) => {
      if (authorization === undefined) {
        if (terms.anonymous) return { kind: 'anonymous' };
        throw new Problem(
          'credential-missing',
          'This site requires a credential in the Authorization header.',
          { headers: { 'WWW-Authenticate': challengesOf(terms, { kind: 'missing' }) } },
        );
      }
      const credential = readCredential(authorization);
      if (credential?.scheme === 'bearer') return byToken(credential.token);
      if (credential?.scheme === 'basic' && checkPassword !== undefined) {
        const account = await checkPassword({ ...credential, address });
        const found = local(account);
        rechecks.set(found, async () => {
          const proof = accountProof(account);
          return (await rolesNow({ ...account, kind: 'password', proof })) !== undefined;
        });
        return found;
      }
      throw deny('the Authorization header has no scheme that this site accepts');
    },
    identifySignedIn: async (signIn) => {
      const roles = signIn && (await rolesNow(signIn));
      if (signIn === undefined || roles === undefined) throw deny('the sign-in has ended');
      const { id, owner, user, since, until, kind } = signIn;
      return { ...principal(owner, user, roles), until, signIn: { id, since, kind } };
    },
    recheckOf: (found) => rechecks.get(found),
    isGood: async (signIn) => (await rolesNow(signIn)) !== undefined,
    prove: async (secret, address) => {
      if ('token' in secret) {
        const proof = sha256(secret.token);
        const known = tokens.get(proof);
        if (known === undefined) throw deny('this site does not know the token');
        return { ...provenBy(known), kind: 'token', proof };
      }
      if (checkPassword === undefined) throw deny('this site has no passwords');
      const account = await checkPassword({ ...secret, address });
      return { ...provenBy(local(account)), kind: 'password', proof: accountProof(account) };
    },
    issuers,
    warm: async () => void (await Promise.all(issuers.map(({ keys }) => keys.warm()))),
    problems: () => {
      for (const { keys } of issuers) void keys.warm();
      const away = issuers
        .filter(({ keys }) => keys.trouble() !== undefined)
        .map(({ terms: { name } }) => `${name} does not give its keys`);
      return [
        ...away,
        ...(passwords?.trouble() === undefined
          ? []
          : ['the changed password file cannot be used; the version before it is in use']),
      ];
    },
    warnings: () => [...secretWarnings, ...(passwords?.warnings() ?? [])],
  };
}

function provenBy({ owner, user, roles }: User): Pick<ProvenUser, 'owner' | 'user' | 'roles'> {
  return { owner, user, roles };
}

function sha256(text: string): string {
  return hash('sha256', text);
}
