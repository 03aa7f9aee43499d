import type { Request, RequestHandler } from 'express';
import type { Settings } from '../../settings.ts';
import { requireNoVersion } from '../../uws/read/precondition.ts';
import { shown } from '../../tasks/task.ts';
import { announcesMore, bodyTooLarge } from '../../words/body-problems.ts';
import { Problem } from '../../words/problem.ts';
import { foreignPages, isSafe } from './cross-site.ts';
import { ownHosts } from './own-hosts.ts';
import { answerPortals } from './portals.ts';

type EdgeParts = {
  readonly settings: Pick<Settings, 'publicUrl' | 'host' | 'hosts' | 'maxBodyKib'>;
  /** `http.allow-origins` of the site file */
  readonly allowOrigins: () => readonly string[];
  /** may a client change one version of what is at this path? */
  readonly hasVersions: (path: string) => boolean;
};

/** Guards the service against requests that other sites' pages make a browser send. */
type Edge = {
  /**
   * for every request: checks the host, the page that sends it and the version that it is for, and
   * answers scripts of portals
   */
  readonly guard: RequestHandler;
  /** for requests that act for the user */
  readonly refuseLoad: RequestHandler;
  /** may a cookie of this service count for the request? `foreignPages` says how it throws */
  readonly mayAct: (request: Request) => boolean;
};

export function openEdge({ settings, allowOrigins, hasVersions }: EdgeParts): Edge {
  const checkHost = ownHosts(settings);
  const pages = foreignPages({ publicUrl: settings.publicUrl, allowOrigins });
  const answer = answerPortals(allowOrigins);
  // One handler instead of several, because each handler costs every GET.
  const guard: RequestHandler = (request, response, next) => {
    checkHost(request);
    pages.refuseChange(request);
    answer(request, response, (error?: unknown) => {
      // Now scripts of portals can read why.
      requireText(request);
      requireShort(request, settings.maxBodyKib);
      if (!isSafe(request) && !hasVersions(request.baseUrl + request.path))
        requireNoVersion(request);
      next(error);
    });
  };
  const refuseLoad: RequestHandler = (request, _response, next) => {
    pages.refuseLoad(request);
    next();
  };
  return { guard, refuseLoad, mayAct: pages.mayAct };
}

/** Nothing has NUL in its name, and PostgreSQL refuses to look for it. */
function requireText({ originalUrl, baseUrl, path }: Request): void {
  if (`${baseUrl}${path}`.includes('%00'))
    throw new Problem('route-unknown', `There is nothing at ${shown(originalUrl)}.`);
}

/** Refuses a body by its announced size: readers of bodies would first read all of it. */
function requireShort(request: Request, maxKib: number): void {
  if (announcesMore(request, maxKib)) throw bodyTooLarge(maxKib);
}
