import type { Request, RequestHandler, Response } from 'express';
import type { Doorkeeper } from '../identity/identify.ts';
import type { UserNames } from '../identity/names.ts';
import type { Principal } from '../identity/principal.ts';

const principals = new WeakMap<Request, Principal>();

/** What no header carries: all but printable ASCII, and blanks at the ends (RFC 9110 § 5.5). */
const UNPRINTABLE = /^ +| +$|[^ -~]+/g;

/** Says whose credential was taken; never on anonymous answers (AuthVO § 4.3). */
export function nameUser(response: Response, principal: Principal): void {
  if (principal.kind === 'user')
    response.set(
      'X-VO-Authenticated',
      principal.user.toWellFormed().replace(UNPRINTABLE, encodeURIComponent),
    );
}

/**
 * Finds out who sent a request before anything of it is read; an invalid credential ends here with 401.
 */
export function identifyRequest(
  doors: Pick<Doorkeeper, 'identify'>,
  names: UserNames,
): RequestHandler {
  return async (request, response, next) => {
    const { authorization } = request.headers;
    // Whoever says nothing guesses no password: finding out the address behind
    // proxies would be for nothing.
    const principal = await doors.identify(
      authorization,
      authorization === undefined ? '' : (request.ip ?? ''),
    );
    if (principal.kind === 'user') await names.keep(principal);
    principals.set(request, principal);
    nameUser(response, principal);
    next();
  };
}

/** Who sent a request; undefined where it was refused before that was known. */
export function principalIfKnown(request: Request): Principal | undefined {
  return principals.get(request);
}

/** @throws Error when the route stands before `identifyRequest`, which is a defect. */
export function principalOf(request: Request): Principal {
  const principal = principals.get(request);
  if (principal === undefined) throw new Error(`nobody identified the sender of ${request.path}`);
  return principal;
}
