import type { RequestHandler } from 'express';
import type { Settings } from '../../settings.ts';
import { foreignPages } from './cross-site.ts';
import { ownHosts } from './own-hosts.ts';
import { answerPortals } from './portals.ts';

export type EdgeParts = {
  readonly settings: Pick<Settings, 'publicUrl' | 'host' | 'hosts'>;
  /** `http.allow-origins` of the site file */
  readonly allowOrigins: () => readonly string[];
};

/** What stands between browsers and the service, whoever their user is. */
export type Edge = {
  /**
   * before everything: which host is asked for, which page asks, and what scripts of portals may
   */
  readonly guard: RequestHandler;
  /** before what counts as the user's */
  readonly refuseLoad: RequestHandler;
};

export function openEdge({ settings, allowOrigins }: EdgeParts): Edge {
  const checkHost = ownHosts(settings);
  const pages = foreignPages({ publicUrl: settings.publicUrl, allowOrigins });
  const answer = answerPortals(allowOrigins);
  // One handler: each more costs every GET.
  const guard: RequestHandler = (request, response, next) => {
    checkHost(request);
    pages.refuseChange(request);
    answer(request, response, next);
  };
  const refuseLoad: RequestHandler = (request, _response, next) => {
    pages.refuseLoad(request);
    next();
  };
  return { guard, refuseLoad };
}
