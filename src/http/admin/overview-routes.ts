import { Router } from 'express';
import type { components } from '../../generated/api.d.ts';
import { countJobs, type JobCount } from '../../uws/store/job-counts.ts';
import type { EngineStates } from '../../vosi/engines.ts';
import { printInstant } from '../../words/iso8601.ts';
import { sharedFor, sharedIfSlow } from '../../words/shared-for.ts';
import type { QuotaSources } from '../about/quota-lines.ts';
import { reply } from '../body/reply.ts';
import { requireAcceptable } from '../body/representation.ts';
import { runChecks, type HealthCheck } from '../health-checks.ts';
import { requireAdministrator } from './administrators.ts';
import type { Configuration } from './configuration.ts';
import { overviewOf } from './overview-document.ts';
import { quotasInUse } from './overview-quotas.ts';
import { readForOverview } from './overview-reading.ts';

type Overview = components['schemas']['Overview'];

type OverviewParts = QuotaSources & {
  readonly checks: readonly HealthCheck[];
  /** absent for a service without executors */
  readonly engines: (() => Promise<EngineStates>) | undefined;
  /** absent in tests */
  readonly configuration: (() => Configuration) | undefined;
};

/** Pages ask every few seconds, and several administrators share a reading. */
const FRESH_MS = 2000;

/** `GET /overview`: destinations, engines, holders, jobs, rules and quotas, for administrators. */
export function overviewRoutes(parts: OverviewParts): Router {
  const router = Router();
  const clock = (): number => performance.now();
  // A million kept jobs take 2 s: a page that is left open would keep a core at work.
  const counted = sharedIfSlow(clock, () => countJobs(parts.database));
  const read = sharedFor(
    FRESH_MS,
    clock,
    () => readOverview(parts, counted),
    // Whoever drains a destination looks at the overview next.
    parts.site,
  );
  router.get('/overview', requireAcceptable(), async (request, response) => {
    requireAdministrator(request, 'The overview is');
    reply(request, response, 200, { overview: await read() });
  });
  return router;
}

async function readOverview(
  parts: OverviewParts,
  counted: () => Promise<readonly JobCount[]>,
): Promise<Overview> {
  const [reading, checks] = await Promise.all([
    readForOverview(parts.database, parts.site(), parts.engines, counted),
    runChecks(parts.checks),
  ]);
  const configuration = parts.configuration?.();
  return {
    ...overviewOf(reading),
    parts: checks.map(({ name, trouble }) => {
      const [state, problems] =
        typeof trouble === 'object'
          ? (['degraded', trouble.problems] as const)
          : trouble === undefined
            ? (['ok', []] as const)
            : (['fails', [trouble]] as const);
      return { part: name, state, problems: [...problems] };
    }),
    ...(configuration !== undefined && configurationOf(configuration)),
    quotas: [...(await quotasInUse(parts, reading.holdings))],
  };
}

function configurationOf({ rules, site }: Configuration): Pick<Overview, 'rules' | 'site'> {
  return {
    rules: {
      digest: rules.digest,
      since: printInstant(rules.since),
      state: rules.state,
      problems: [...rules.problems],
      files: [...rules.files],
      loaded: rules.reloads.loaded,
      refused: rules.reloads.refused,
    },
    site: { file: site.file, problems: [...site.problems] },
  };
}
