import { Router, type Request } from 'express';
import type { Logger } from 'pino';
import { openFailures } from '../../identity/failures.ts';
import { IssuerAway } from '../../identity/oidc/discovery.ts';
import { Remembered } from '../../identity/remembered.ts';
import { cookieIn, removeCookie, setCookie } from '../../identity/sign-in/cookie.ts';
import type { IssuerDoor } from '../../identity/sign-in/issuer-client.ts';
import { SignInRefused } from '../../identity/sign-in/refused.ts';
import type { ProvenUser } from '../../identity/sign-in/signed-in.ts';
import { shown } from '../../tasks/task.ts';
import type { Takings } from '../../peers/buckets.ts';
import { queryOf } from '../../uws/read/control.ts';
import { Problem } from '../../words/problem.ts';
import { ATTEMPT_S, isFragment, printBegun, readBegun, type Begun } from './attempt-cookie.ts';
import { secureCookie } from './browser-cookies.ts';
import { problemPage } from './problem-page.ts';
import { beginSignIn, type SignInParts } from './session-routes.ts';

type IssuerParts = SignInParts & {
  readonly doors: readonly IssuerDoor[];
  readonly baseUrl: (request: Request) => string;
  readonly log: Logger;
  /** milliseconds since 1970 */
  readonly clock: () => number;
  /** the other planners of this service: a try that failed counts at all */
  readonly others: Takings;
};

/** No path of a service ends so: the cookie is never taken for that of a sign-in. */
const SUFFIX = '.login';
const MOST_USED = 10_000;

/**
 * `GET /login` leads the browser to an issuer, and `GET /login/callback` takes its answer back. The
 * secrets of the attempt stay in the browser meanwhile, so that any planner of the site, also after
 * a restart, can finish it, and nobody can fill the memory with attempts.
 */
export function issuerRoutes(parts: IssuerParts): Router {
  const { doors, baseUrl, clock } = parts;
  const finish = openFinish(parts);
  const router = Router();
  router.get('/login', async (request, response) => {
    const base = baseUrl(request);
    const cookie = secureCookie(base, SUFFIX);
    const { at, to } = requestedBy(queryOf(request.originalUrl), doors);
    const { url, attempt } = await at.start(callbackAt(base)).catch((error: unknown) => {
      throw told(parts.log, at.name, error);
    });
    response.append(
      'Set-Cookie',
      setCookie(cookie, printBegun({ attempt, to, at: clock() }), ATTEMPT_S),
    );
    response.set('Cache-Control', 'no-store').redirect(303, url);
  });
  router.get('/login/callback', async (request, response) => {
    const base = baseUrl(request);
    const cookie = secureCookie(base, SUFFIX);
    const begun = readBegun(cookieIn(request.headers.cookie, cookie.name), clock());
    response.append('Set-Cookie', removeCookie(cookie)).set('Cache-Control', 'no-store');
    const user = await finish(begun, request);
    await beginSignIn(parts, request, response, user);
    response.redirect(303, `${base}/${begun?.to ?? '#/'}`);
  });
  router.use('/login', problemPage(baseUrl));
  return router;
}

function openFinish({ doors, baseUrl, clock, log, others }: IssuerParts) {
  const failures = openFailures(() => performance.now(), { others });
  const used = new Remembered<true>(MOST_USED);
  return async (begun: Begun | undefined, request: Request): Promise<ProvenUser> => {
    const door = doors.find(({ issuer }) => issuer === begun?.attempt.issuer);
    if (begun === undefined || door === undefined)
      throw failed(
        `this browser began no sign-in here within ${ATTEMPT_S / 60} minutes, or has finished it`,
      );
    const { attempt } = begun;
    const who = { user: attempt.issuer, address: request.ip ?? '' };
    const wait = failures.wait(who);
    if (wait !== undefined)
      throw new Problem('too-many-failures', 'There were too many tries; try again later.', {
        headers: { 'Retry-After': `${wait}` },
      });
    if (used.get(attempt.state, clock()) === true) throw failed('this sign-in has been finished');
    used.set(attempt.state, true, clock() + ATTEMPT_S * 1000);
    try {
      const answer = queryOf(request.originalUrl);
      return await door.finish(attempt, answer, callbackAt(baseUrl(request)));
    } catch (error) {
      if (error instanceof SignInRefused) failures.add(who);
      throw told(log, door.name, error);
    }
  };
}

function callbackAt(base: string): string {
  return `${base}/login/callback`;
}

/** @throws Problem `parameter-invalid` (400) */
function requestedBy(
  query: URLSearchParams,
  doors: readonly IssuerDoor[],
): { readonly at: IssuerDoor; readonly to: string } {
  const [name, to] = [query.get('at'), query.get('to') ?? '#/'];
  const at = doors.find((door) => door.name === name);
  if (at === undefined)
    throw new Problem(
      'parameter-invalid',
      `No browser signs in at '${shown(name ?? '')}' here; /site has the ways to sign in.`,
      { errors: [{ path: 'at', text: 'must be the name of an issuer' }] },
    );
  if (!isFragment(to))
    throw new Problem(
      'parameter-invalid',
      `to is '${shown(to)}'; it must be a screen of this service, such as #/jobs.`,
      { errors: [{ path: 'to', text: 'must begin with #/' }] },
    );
  return { at, to };
}

/** Problems for errors of an issuer; the log has the reason for the operator. */
function told(log: Logger, name: string, error: unknown): unknown {
  if (error instanceof IssuerAway) {
    log.warn({ issuer: name, because: error.message }, 'nobody can sign in at an issuer');
    return new Problem(
      'credential-unchecked',
      `${name} cannot sign anybody in now; try again soon.`,
      { headers: { 'Retry-After': '10' } },
    );
  }
  if (!(error instanceof SignInRefused)) return error;
  log.warn({ issuer: name, because: error.message }, 'an issuer did not sign a user in');
  return failed(`${name}: ${error.message}`);
}

function failed(because: string): Problem {
  return new Problem('sign-in-failed', `You are not signed in; ${because}. Begin again.`);
}
