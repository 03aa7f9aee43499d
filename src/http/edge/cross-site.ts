import type { Request } from 'express';
import { shown } from '../../tasks/task.ts';
import { Problem } from '../../words/problem.ts';

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Does the request change nothing? */
export function isSafe({ method }: Pick<Request, 'method'>): boolean {
  return SAFE.has(method);
}

/** Whose pages may send requests. */
type Pages = {
  readonly publicUrl: string | undefined;
  /** origins of portals, as browsers write them */
  readonly allowOrigins: () => readonly string[];
};

/**
 * Recognises requests that pages of other sites make a browser send. Browsers send the origin of
 * the page with every change (`null` for a page without one), and the source of each request (Fetch
 * Metadata) to https and loopback addresses only. Other clients send neither.
 */
export function foreignPages({ publicUrl, allowOrigins }: Pages) {
  const publicOrigin = publicUrl === undefined ? undefined : new URL(publicUrl).origin;
  const isOwn = (origin: string, { protocol, host }: Request): boolean =>
    origin === publicOrigin || origin === URL.parse(`${protocol}://${host}`)?.origin;

  const isOfOthers = (request: Request): boolean => {
    const { origin, 'sec-fetch-site': site } = request.headers;
    return (
      site === 'cross-site' ||
      site === 'same-site' ||
      (origin !== undefined && !isOwn(origin, request))
    );
  };
  const isForeign = (request: Request): boolean => {
    const { origin } = request.headers;
    return !(origin !== undefined && allowOrigins().includes(origin)) && isOfOthers(request);
  };

  const refused = ({ headers: { origin } }: Request): Problem => {
    const whose =
      origin === undefined
        ? 'another site'
        : origin === 'null'
          ? "no origin ('null')"
          : `'${shown(origin)}'`;
    return new Problem(
      'cross-site-request',
      `A page of ${whose} sent this request; only pages of this service may, and those of ` +
        'the origins that its site file lists (http.allow-origins).',
    );
  };

  return {
    /** Refuses a change. @throws Problem `cross-site-request` (403) */
    refuseChange: (request: Request): void => {
      if (!isSafe(request) && isForeign(request)) throw refused(request);
    },
    /**
     * Refuses to load a document into another site's page, which could not read it, while it would
     * count as an ask of the user. A followed link is allowed.
     *
     * @throws Problem `cross-site-request` (403)
     */
    refuseLoad: (request: Request): void => {
      if (request.headers['sec-fetch-mode'] !== 'navigate' && isForeign(request))
        throw refused(request);
    },
    /**
     * May a cookie of this service count for the request? For a change the browser must say that a
     * page of this service sends it. For others, pages of other sites may only link here: a page of
     * the same domain gets its cookie sent along, also one that `http.allow-origins` lists.
     *
     * @throws Problem `cross-site-request` (403) for a change that does not say who sends it
     */
    mayAct: (request: Request): boolean => {
      const { headers } = request;
      if (isSafe(request)) return !isOfOthers(request) || headers['sec-fetch-dest'] === 'document';
      if (isOfOthers(request)) return false;
      if (headers.origin !== undefined || headers['sec-fetch-site'] === 'same-origin') return true;
      throw new Problem(
        'cross-site-request',
        'A change with a cookie needs the header Origin or Sec-Fetch-Site, which browsers send; ' +
          'programs send their credential in the header Authorization.',
      );
    },
  };
}
