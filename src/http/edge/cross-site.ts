import type { Request } from 'express';
import { shown } from '../../tasks/task.ts';
import { Problem } from '../../words/problem.ts';

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Whose pages may send requests. */
export type Pages = {
  readonly publicUrl: string | undefined;
  /** origins of portals, as browsers write them */
  readonly allowOrigins: () => readonly string[];
};

/**
 * Tells requests that pages of other sites make a browser send. Browsers name the origin of a page
 * with every change (`null` where it has none), and where a request comes from (Fetch Metadata),
 * but this only to https and to loopback. Clients that are no browsers send neither.
 */
export function foreignPages({ publicUrl, allowOrigins }: Pages) {
  const publicOrigin = publicUrl === undefined ? undefined : new URL(publicUrl).origin;
  const isOwn = (origin: string, { protocol, host }: Request): boolean =>
    origin === publicOrigin || origin === URL.parse(`${protocol}://${host}`)?.origin;

  const isForeign = (request: Request): boolean => {
    const { origin, 'sec-fetch-site': site } = request.headers;
    if (origin !== undefined && allowOrigins().includes(origin)) return false;
    return (
      site === 'cross-site' ||
      site === 'same-site' ||
      (origin !== undefined && !isOwn(origin, request))
    );
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
    /** Nothing may be changed. @throws Problem `cross-site-request` (403) */
    refuseChange: (request: Request): void => {
      if (!SAFE.has(request.method) && isForeign(request)) throw refused(request);
    },
    /**
     * Nor may anything be loaded into a page: it could not be read there, and would count as the
     * user's asks. Whoever follows a link comes in.
     *
     * @throws Problem `cross-site-request` (403)
     */
    refuseLoad: (request: Request): void => {
      if (request.headers['sec-fetch-mode'] !== 'navigate' && isForeign(request))
        throw refused(request);
    },
  };
}
