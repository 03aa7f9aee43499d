import { Router, type RequestHandler } from 'express';
import type { Database } from '../../db/client.ts';
import type { components } from '../../generated/api.d.ts';
import { removeDrain, writeDrain, type Drain } from '../../schedule/drains.ts';
import type { Site } from '../../site/site.ts';
import { parseInstant, printInstant } from '../../words/iso8601.ts';
import { Problem } from '../../words/problem.ts';
import { tellAudit } from '../audit.ts';
import { bodyParser } from '../body/body.ts';
import type { Documents } from '../body/documents.ts';
import { faulty } from '../body/faulty.ts';
import { reply } from '../body/reply.ts';
import { requireAcceptable } from '../body/representation.ts';
import { requireAdministrator } from './administrators.ts';

type Wanted = components['schemas']['DrainWanted'];

type DrainParts = {
  readonly database: Database;
  readonly site: () => Site;
  readonly documents: Documents;
  /** checks requests against the contract */
  readonly checked: RequestHandler;
  /** puts the drains in the database in force at this planner */
  readonly readDrains: () => Promise<void>;
};

const MOST_KIB = 16;

/**
 * Drains a destination and undoes it, for administrators. The answer comes when this planner makes
 * no more offers for it; other planners of the database hear of it at the same time.
 */
export function drainRoutes({
  database,
  site,
  documents,
  checked,
  readDrains,
}: DrainParts): Router {
  const router = Router();
  const acceptable = requireAcceptable<{ name: string }>();
  const tellReason: RequestHandler = (request, _response, next) => {
    const { reason }: Record<string, unknown> = Object(request.body);
    if (typeof reason === 'string') tellAudit(request, { why: reason });
    next();
  };
  router.put(
    '/destinations/:name/drain',
    ...bodyParser('drain', MOST_KIB, documents),
    tellReason,
    checked,
    acceptable,
    async (request, response) => {
      const owner = requireAdministrator(request, 'Draining is');
      const { name } = request.params;
      if (!site().destinations.has(name)) throw unknownDestination(name);
      const { reason, from, until }: Wanted = request.body;
      const drain = await writeDrain(database, {
        destination: name,
        reason: reason.trim(),
        from: instantOf('from', from),
        until: instantOf('until', until),
        owner,
      });
      if (drain === undefined) throw faulty('key', 'until', 'must be later than from and than now');
      await readDrains();
      reply(request, response, 200, { drain: printDrain(drain) });
    },
  );
  router.delete('/destinations/:name/drain', checked, acceptable, async (request, response) => {
    requireAdministrator(request, 'Draining is');
    await removeDrain(database, request.params.name);
    await readDrains();
    response.status(204).end();
  });
  return router;
}

/** A drain in the words of the contract. */
export function printDrain({
  destination,
  reason,
  from,
  until,
  owner,
  at,
}: Drain): components['schemas']['Drain'] {
  return {
    destination,
    reason,
    from: printInstant(from),
    ...(until !== undefined && { until: printInstant(until) }),
    owner,
    at: printInstant(at),
  };
}

function unknownDestination(name: string): Problem {
  return new Problem(
    'destination-unknown',
    `The site has no destination ${JSON.stringify(name.slice(0, 60))}.`,
  );
}

function instantOf(path: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const instant = parseInstant(text);
  if (!instant.ok) throw faulty('key', path, 'must be an instant such as 2026-08-10T10:00Z');
  return instant.value;
}
