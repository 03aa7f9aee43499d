import { Router } from 'express';
import type { KnownTypes } from '../../plugins/types.ts';
import type { Site } from '../../site/site.ts';
import { requireAcceptable } from '../body/representation.ts';
import { replyVersion } from '../sessions/versions.ts';
import { siteDocument } from './site-document.ts';

type SiteParts = {
  readonly site: () => Site;
  readonly types: () => Pick<KnownTypes, 'taskTypes'>;
  /** milliseconds since 1970 */
  readonly clock: () => number;
};

/** Serves what everybody may know of the site: a page needs it before its reader signs in. */
export function siteRoutes({ site, types, clock }: SiteParts): Router {
  const router = Router();
  router.get('/site', requireAcceptable(), (request, response) =>
    replyVersion(request, response, { site: siteDocument(site(), types().taskTypes, clock()) }),
  );
  return router;
}
