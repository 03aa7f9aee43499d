import type { Request, Response } from 'express';
import { cookieAt, cookieIn, removeCookie, setCookie } from '../../identity/sign-in/cookie.ts';
import { Problem } from '../../words/problem.ts';

/** The cookie that names a browser's sign-in. */
export type BrowserCookies = {
  /**
   * The secret name that a request's cookie gives; undefined without a cookie that counts: a
   * request with an Authorization header, or of another site's page, has none.
   *
   * @throws Problem `cross-site-request` (403) for a change that does not say whose page sends it
   */
  readonly read: (request: Request) => string | undefined;
  /** @throws Problem `sign-in-insecure` (403) where others could read the cookie */
  readonly requireSecure: (request: Request) => void;
  /** @throws Problem as `requireSecure` */
  readonly set: (request: Request, response: Response, name: string) => void;
  /** the header that removes the cookie; undefined where there can be none */
  readonly removal: (request: Request) => string | undefined;
};

type CookieParts = {
  readonly baseUrl: (request: Request) => string;
  /** may the browser's credentials count for this request? */
  readonly mayAct: (request: Request) => boolean;
};

export function openBrowserCookies({ baseUrl, mayAct }: CookieParts): BrowserCookies {
  return {
    read: (request) => {
      const { cookie: header, authorization } = request.headers;
      if (header === undefined || authorization !== undefined) return undefined;
      const cookie = cookieAt(baseUrl(request));
      const name = cookie && cookieIn(header, cookie.name);
      return name !== undefined && mayAct(request) ? name : undefined;
    },
    requireSecure: (request) => void secureCookie(baseUrl(request)),
    set: (request, response, name) =>
      void response.append('Set-Cookie', setCookie(secureCookie(baseUrl(request)), name)),
    removal: (request) => {
      const cookie = cookieAt(baseUrl(request));
      return cookie && removeCookie(cookie);
    },
  };
}

/**
 * A cookie for a sign-in at this URL.
 *
 * @throws Problem `sign-in-insecure` (403) where others could read the cookie
 */
export function secureCookie(
  base: string,
  suffix?: string,
): NonNullable<ReturnType<typeof cookieAt>> {
  const cookie = cookieAt(base, suffix);
  if (cookie !== undefined) return cookie;
  throw new Problem(
    'sign-in-insecure',
    `${base} is not https, so others could read your password and your sign-in; the operator ` +
      'serves the planner by https (PUBLIC_URL, TRUST_PROXY).',
  );
}
