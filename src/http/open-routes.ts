import type { Request, RequestHandler } from 'express';
import { openIssuerDoors } from '../identity/sign-in/issuer-client.ts';
import type { Doorkeeper } from '../identity/identify.ts';
import type { Peers } from '../peers/channel.ts';
import type { Dialect } from '../planner/dialect.ts';
import { environmentRoutes } from './about/environment-routes.ts';
import { siteRoutes } from './about/site-routes.ts';
import type { AppParts } from './app.ts';
import { consoleRoutes } from './console-routes.ts';
import { manualRoutes } from './manual-routes.ts';
import { serviceRoutes } from './service-routes.ts';
import { issuerRoutes } from './sign-in/issuer-routes.ts';
import { sessionRoutes, type SignInParts } from './sign-in/session-routes.ts';
import { vosiRoutes } from './vosi-routes.ts';
import { xsdRoutes } from './xsd-routes.ts';

type OpenParts = Pick<
  AppParts,
  'metrics' | 'checks' | 'contract' | 'documents' | 'site' | 'types' | 'engines' | 'log'
> & {
  readonly baseUrl: (request: Request) => string;
  readonly dialects: readonly Dialect[];
  readonly signing: SignInParts & { readonly doorkeeper: Doorkeeper };
  readonly peers: Peers;
};

/** What everybody may read without saying who they are, and how they say it. */
export function openRoutes(parts: OpenParts): readonly RequestHandler[] {
  const { metrics, checks, contract, documents, site, types, engines, log } = parts;
  const { baseUrl, dialects, signing, peers } = parts;
  const { doorkeeper } = signing;
  return [
    serviceRoutes({ metrics, checks, contract, baseUrl }),
    consoleRoutes(),
    xsdRoutes(documents.mapping),
    manualRoutes(),
    vosiRoutes({
      site,
      doorkeeper,
      checks,
      engines,
      baseUrl,
      planners: dialects.map(({ routes, sessions }) => ({
        asks: routes.asks,
        direct: sessions?.routes.direct ?? [],
      })),
      clock: Date.now,
    }),
    siteRoutes({ site, types, clock: Date.now }),
    environmentRoutes(site),
    sessionRoutes(signing),
    issuerRoutes({
      ...signing,
      doors: openIssuerDoors(doorkeeper.issuers, Date.now),
      baseUrl,
      log,
      clock: Date.now,
      others: peers.channel('issuer'),
    }),
  ];
}
