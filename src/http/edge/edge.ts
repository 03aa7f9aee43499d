import type { Request, RequestHandler } from 'express';
import type { Settings } from '../../settings.ts';
import { foreignPages } from './cross-site.ts';
import { ownHosts } from './own-hosts.ts';
import { answerPortals } from './portals.ts';

type EdgeParts = {
  readonly settings: Pick<Settings, 'publicUrl' | 'host' | 'hosts'>;
  /** `http.allow-origins` of the site file */
  readonly allowOrigins: () => readonly string[];
};

/** Guards the service against requests that other sites' pages make a browser send. */
type Edge = {
  /**
   * for every request: checks the host and the page that sends it, and answers scripts of portals
   */
  readonly guard: RequestHandler;
  /** for requests that act for the user */
  readonly refuseLoad: RequestHandler;
  /** may a cookie of this service count for the request? `foreignPages` says how it throws */
  readonly mayAct: (request: Request) => boolean;
};

export function openEdge({ settings, allowOrigins }: EdgeParts): Edge {
  const checkHost = ownHosts(settings);
  const pages = foreignPages({ publicUrl: settings.publicUrl, allowOrigins });
  const answer = answerPortals(allowOrigins);
  // One handler instead of several, because each handler costs every GET.
  const guard: RequestHandler = (request, response, next) => {
    checkHost(request);
    pages.refuseChange(request);
    answer(request, response, next);
  };
  const refuseLoad: RequestHandler = (request, _response, next) => {
    pages.refuseLoad(request);
    next();
  };
  return { guard, refuseLoad, mayAct: pages.mayAct };
}
