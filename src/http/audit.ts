import { Router, type Request, type RequestHandler, type Response } from 'express';
import type { Trail } from '../audit/trail.ts';
import { openFailures } from '../identity/failures.ts';
import { ownerOf } from '../identity/principal.ts';
import { bodyOf } from '../uws/read/body.ts';
import { parametersOf, queryOf } from '../uws/read/control.ts';
import { oneLine } from '../words/safe-text.ts';
import { Problem } from '../words/problem.ts';
import { requireAdministrator } from './admin/administrators.ts';
import { requestIdOf } from './edge/answer-names.ts';
import { isSafe } from './edge/cross-site.ts';
import { principalIfKnown } from './identified.ts';
import { reply } from './body/reply.ts';
import { requireAcceptable } from './body/representation.ts';

/** Parameters that tell more of a change than its path; the values of all others may be secrets. */
const TELLING = ['PHASE', 'ACTION'] as const;
const LONGEST_ACTION = 200;
const LONGEST_WHY = 500;
const MOST_ENTRIES = 1000;
/** Entries of one client a minute; refusals cost a client nothing, so fewer are kept. */
const A_MINUTE = { done: 600, refused: 20 };

/** Express finds a route in any case, and with a slash at its end. */
const SIGNS_IN = /^\/login\/callback\/?$/i;

type Telling = { readonly words?: string; readonly why?: string };

const tellings = new WeakMap<Request, Telling>();

/**
 * Describes in a few `words` what a request asks for, when neither its path nor a parameter does,
 * and says `why`, when no parameter does.
 */
export function tellAudit(request: Request, telling: Telling): void {
  tellings.set(request, telling);
}

/**
 * Records every request that may change something, except asks, after its answer, by the
 * id of the answer. Keeps a limited number of entries a minute for each client (owner and
 * address); the log has the rest.
 *
 * @param asks paths of asks
 */
export function auditChanges(trail: Trail, asks: readonly string[]): RequestHandler {
  const passed = (): number => performance.now();
  const [done, refused] = [
    openFailures(passed, { aMinute: A_MINUTE.done }),
    openFailures(passed, { aMinute: A_MINUTE.refused }),
  ];
  return (request, response, next) => {
    // An issuer sends its users back with a GET, which signs them in.
    if (isSafe(request) && !SIGNS_IN.test(request.path)) return next();
    if (asks.includes(request.path)) return next();
    // A connection that is over has none.
    const address = request.ip ?? '';
    const note = (): void => {
      const principal = principalIfKnown(request);
      // An unidentified client was refused, and changed nothing.
      if (principal === undefined) return;
      const administrator = principal.kind === 'user' && principal.administrator;
      const [owner, status] = [ownerOf(principal), response.statusCode];
      const counts = status >= 400 ? refused : done;
      const isKept = counts.wait({ user: owner, address }) === undefined;
      if (isKept) counts.add({ user: owner, address });
      trail.note(
        {
          at: new Date(),
          requestId: requestIdOf(response),
          owner,
          administrator,
          address,
          action: actionOf(request),
          status,
          why: whyOf(request),
        },
        isKept,
      );
    };
    onceEnded(response, () => {
      try {
        note();
      } catch (error) {
        // Thrown here, it would come out of the answer that tells of it, and end the process.
        trail.missed(requestIdOf(response), error);
      }
    });
    return next();
  };
}

/** `GET /audit`: the audit trail, for administrators. */
export function auditRoutes(trail: Trail): Router {
  const router = Router();
  router.get('/audit', requireAcceptable(), async (request, response) => {
    requireAdministrator(request, 'The audit trail is');
    const most = Math.min(MOST_ENTRIES, Number(request.query['limit'] ?? 100));
    const entries = await trail.read(instantOf(request.query['before']), most);
    reply(request, response, 200, {
      audit: entries.map(({ at, requestId, why, ...entry }) => ({
        at: at.toISOString(),
        'request-id': requestId,
        owner: entry.owner,
        administrator: entry.administrator,
        address: entry.address,
        action: entry.action,
        status: entry.status,
        ...(why !== null && { why }),
      })),
    });
  });
  return router;
}

/**
 * Calls `note` when the service ends its answer. `finish` tells of no answer whose client has gone:
 * who changes something could leave at once, and no trace.
 */
function onceEnded(response: Response, note: () => void): void {
  let isNoted = false;
  response.end = new Proxy(response.end, {
    apply: (end, self, words) => {
      const isFirst = !isNoted;
      isNoted = true;
      if (isFirst) note();
      return Reflect.apply(end, self, words);
    },
  });
}

function actionOf(request: Request): string {
  return oneLine(
    [request.method, request.originalUrl.split('?', 1)[0], ...wordsOf(request)].join(' '),
    LONGEST_ACTION,
  );
}

function wordsOf(request: Request): readonly string[] {
  const told = TELLING.flatMap((name) =>
    valuesOf(request, name).map((value) => `${name}=${value}`),
  );
  return [tellings.get(request)?.words ?? [], told].flat();
}

function whyOf(request: Request): string | null {
  const [why = ''] = [tellings.get(request)?.why ?? [], valuesOf(request, 'WHY')].flat();
  return oneLine(why.trim(), LONGEST_WHY) || null;
}

/** The values of a parameter of the form or the query. */
function valuesOf(request: Request, name: string): readonly string[] {
  return [bodyOf(request).parameters, parametersOf(queryOf(request.originalUrl))].flatMap(
    (parameters) => parameters.get(name)?.values ?? [],
  );
}

function instantOf(text: unknown): Date {
  if (text === undefined) return new Date(Date.now() + 1000);
  // No entry is older than 1970, and PostgreSQL knows no instants before its calendar.
  const at = new Date(Math.max(0, Date.parse(String(text))));
  if (!Number.isNaN(at.getTime())) return at;
  throw new Problem(
    'parameter-invalid',
    `before is '${String(text).slice(0, 60)}'; it must be an instant such as 2026-11-22T10:00:00Z.`,
    { errors: [{ path: 'before', text: 'must be an instant' }] },
  );
}
