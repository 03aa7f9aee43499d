import type { Request, RequestHandler, Response } from 'express';
import type { Doorkeeper } from '../identity/identify.ts';
import type { UserNames } from '../identity/names.ts';
import type { Principal } from '../identity/principal.ts';

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

/** Identifies the sender before the request is read; an invalid credential is a 401 here. */
export function identifyRequest(
  doorkeeper: Pick<Doorkeeper, 'identify'>,
  names: UserNames,
): RequestHandler {
  return async (request, response, next) => {
    const { authorization } = request.headers;
    // A request without a credential guesses no password, so it does not need the address behind
    // the proxies.
    const principal = await doorkeeper.identify(
      authorization,
      authorization === undefined ? '' : (request.ip ?? ''),
    );
    if (principal.kind === 'user') await names.keep(principal);
    principals.set(request, principal);
    nameUser(response, principal);
    next();
  };
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
