import type { Request, RequestHandler, Response } from 'express';
import type { Doorkeeper } from '../identity/identify.ts';
import type { UserNames } from '../identity/names.ts';
import type { Principal } from '../identity/principal.ts';
import type { SignIns } from '../identity/sign-in/sign-ins.ts';
import { Problem } from '../words/problem.ts';
import type { BrowserCookies } from './sign-in/browser-cookies.ts';
import { endWithCredential } from './sign-in/lasting.ts';
import { withoutDialog } from './sign-in/no-dialog.ts';

const principals = new WeakMap<Request, Principal>();

/** What a header cannot carry: all but printable ASCII, and blanks at the ends (RFC 9110 § 5.5). */
const UNPRINTABLE = /^ +| +$|[^ -~]+/g;

/** Names the user whose credential was accepted; anonymous answers name nobody (AuthVO § 4.3). */
export function nameUser(response: Response, principal: Principal): void {
  if (principal.kind === 'user')
    response.set(
      'X-VO-Authenticated',
      principal.user.toWellFormed().replace(UNPRINTABLE, encodeURIComponent),
    );
}

type IdentifyParts = {
  readonly doorkeeper: Pick<Doorkeeper, 'identify' | 'identifySignedIn' | 'recheckOf' | 'isGood'>;
  readonly names: UserNames;
  readonly signIns: Pick<SignIns, 'find'>;
  readonly cookies: Pick<BrowserCookies, 'read' | 'removal'>;
};

/**
 * Identifies the sender before the request is read, by the header Authorization, or else by the
 * cookie of a sign-in; an invalid credential is a 401 here. A cookie that is no longer good is
 * removed, so that the browser is not refused for it again.
 */
export function identifyRequest({
  doorkeeper,
  names,
  signIns,
  cookies,
}: IdentifyParts): RequestHandler {
  return async (request, response, next) => {
    const { authorization } = request.headers;
    const name = cookies.read(request);
    const known =
      name === undefined
        ? // A request without a credential guesses no password, so it does not need the address
          // behind the proxies.
          doorkeeper.identify(authorization, authorization === undefined ? '' : (request.ip ?? ''))
        : doorkeeper.identifySignedIn(await signIns.find(name));
    const principal = await known.catch((error: unknown) => {
      const removal = name === undefined ? undefined : cookies.removal(request);
      throw error instanceof Problem ? withoutDialog(request, error, removal) : error;
    });
    if (principal.kind === 'user') await names.keep(principal);
    identifiedAs(request, response, principal);
    const recheck =
      name === undefined
        ? doorkeeper.recheckOf(principal)
        : async () => {
            const signIn = await signIns.find(name);
            return signIn !== undefined && (await doorkeeper.isGood(signIn));
          };
    if (recheck !== undefined) endWithCredential(response, recheck);
    next();
  };
}

/** Keeps who sends a request, and names the user in the answer. */
export function identifiedAs(request: Request, response: Response, principal: Principal): void {
  principals.set(request, principal);
  nameUser(response, principal);
}

/** The sender of a request; undefined for a request that was refused before. */
export function principalIfKnown(request: Request): Principal | undefined {
  return principals.get(request);
}

/** @throws Error for a route before `identifyRequest`, which is a defect. */
export function principalOf(request: Request): Principal {
  const principal = principals.get(request);
  if (principal === undefined) throw new Error(`nobody identified the sender of ${request.path}`);
  return principal;
}
