import { Router, type Request } from 'express';
import { challengesOf } from '../identity/challenges.ts';
import type { Doorkeeper } from '../identity/identify.ts';
import type { Site } from '../site/site.ts';
import { availabilityOf, availabilityXml, type PartState } from '../vosi/availability.ts';
import { capabilitiesXml, type AskPaths } from '../vosi/capabilities.ts';
import type { EngineStates } from '../vosi/engines.ts';
import { recordXml } from '../vosi/record.ts';
import { Problem } from '../words/problem.ts';
import { nameUser } from './identified.ts';
import { runChecks, type HealthCheck } from './health-checks.ts';
import { withoutDialog } from './sign-in/no-dialog.ts';

type VosiParts = {
  readonly site: () => Site;
  readonly doorkeeper: Pick<Doorkeeper, 'identify'>;
  readonly checks: readonly HealthCheck[];
  /** reads what executors say about engines; absent without executors */
  readonly engines?: (() => Promise<EngineStates>) | undefined;
  readonly baseUrl: (request: Request) => string;
  /** where clients ask */
  readonly planners: readonly AskPaths[];
  /** milliseconds since 1970 */
  readonly clock: () => number;
};

/**
 * Serves the documents that clients of the Virtual Observatory read first (VOSI 1.1, VOResource
 * 1.1) to everybody.
 */
export function vosiRoutes({
  site,
  doorkeeper,
  checks,
  engines,
  baseUrl,
  planners,
  clock,
}: VosiParts): Router {
  const since = clock();
  const changedAt = lastChange(() => site().registry?.identifier, clock);
  const router = Router();
  router.get('/availability', async (_request, response) => {
    // Without the database the states of the engines are unknown; its own note tells why.
    const [states, answering] = await Promise.all([
      runChecks(checks),
      engines?.().catch(() => undefined),
    ]);
    const seen = { parts: states.map(stateOf), engines: answering, now: clock(), since };
    response
      .set('Cache-Control', 'no-store')
      .type('text/xml')
      .send(availabilityXml(availabilityOf(site(), seen)));
  });
  router.get('/capabilities', async (request, response) => {
    const { identity, registry } = site();
    // Clients test their credential here: a given credential is checked, and none is required.
    if (request.headers.authorization !== undefined)
      nameUser(
        response,
        await doorkeeper
          .identify(request.headers.authorization, request.ip ?? '')
          .catch((error: unknown) => {
            throw error instanceof Problem ? withoutDialog(request, error) : error;
          }),
      );
    // Challenges with a 200 tell that a client may log in (AuthVO § 4.1).
    if (identity.tokens.length + identity.oidc.length > 0 || identity.passwords !== undefined) {
      response.set('WWW-Authenticate', [...challengesOf(identity, { kind: 'missing' })]);
    }
    response
      .set({ 'Last-Modified': new Date(changedAt()).toUTCString(), 'Cache-Control': 'no-cache' })
      .vary('Authorization')
      .type('text/xml')
      .send(
        capabilitiesXml({
          base: baseUrl(request),
          planners,
          identity,
          identifier: registry?.identifier,
        }),
      );
  });
  router.get('/registry.xml', (request, response) => {
    const { name, identity, registry } = site();
    if (registry === undefined)
      throw new Problem(
        'route-unknown',
        'This site has no registry record, because its site file has no section registry.',
      );
    response
      .set('Cache-Control', 'no-cache')
      .type('text/xml')
      .send(recordXml(registry, name, { base: baseUrl(request), planners, identity }));
  });
  return router;
}

/** When a part of the site changed last: a reload of the site file changes it without a notice. */
function lastChange<Part>(read: () => Part, clock: () => number): () => number {
  let known = { part: read(), at: clock() };
  return () => {
    const part = read();
    if (part !== known.part) known = { part, at: clock() };
    return known.at;
  };
}

function stateOf({ name, trouble }: Awaited<ReturnType<typeof runChecks>>[number]): PartState {
  if (trouble === undefined) return { name, trouble };
  return {
    name,
    trouble:
      typeof trouble === 'string'
        ? { fails: true, texts: [trouble] }
        : { fails: false, texts: trouble.problems },
  };
}
