import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express, { type ErrorRequestHandler } from 'express';
import type { JobError } from '../../../src/uws/job.ts';
import type { StartMode } from '../../../src/uws/phases.ts';
import { localOwner } from '../../../src/identity/principal.ts';
import { uwsErrors } from '../../../src/uws/errors.ts';
import { uwsRoutes } from '../../../src/uws/routes.ts';
import { openWaiters } from '../../../src/uws/live/waiters.ts';
import type { JobResult } from '../../../src/runners/port.ts';
import type { JobId } from '../../../src/words/ids.ts';
import { openTestDatabase } from '../../harness/database.ts';
import { newId } from './jobs.ts';

type Settings = { readonly waitCapS?: number; readonly waitsPerOwner?: number };
type Init = {
  readonly method?: string;
  readonly as?: string;
  readonly form?: string;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
};

/** What a request left behind: status, headers, text. */
export type Answer = { readonly status: number; readonly headers: Headers; readonly text: string };

/**
 * The worker's routes on a real server with a real database. Users name themselves by a header,
 * which is all that is left out: credentials are another part's matter.
 */
export async function openWorker(settings: Settings = {}) {
  const { url, database, close } = await openTestDatabase();
  const resultsRoot = await mkdtemp(join(tmpdir(), 'planner-results-'));
  const waiters = openWaiters({ url, onLost: () => undefined });
  const unexpected: unknown[] = [];
  const app = express();
  const routes = uwsRoutes({
    database,
    waiters,
    resultsRoot,
    waitCapS: settings.waitCapS ?? 60,
    waits: { perOwner: settings.waitsPerOwner ?? 100, perAddress: 100 },
    longestKeepS: 30 * 86_400,
    queueLimitS: () => 3600,
    maxBodyKib: 64,
    // What asking comes to is the business of test/http/asks/job-asks.test.ts.
    askFor: async (_document, { req }, start) => {
      const owner =
        req.get('x-user') === undefined ? 'anonymous' : localOwner(req.get('x-user') ?? '');
      return accept(await offer(owner), start, owner);
    },
    fetchDocument: async (url) => `text of ${url}`,
    requestOf: async (id) =>
      (
        await database.offer.findUniqueOrThrow({
          where: { id },
          select: { ask: { select: { document: true } } },
        })
      ).ask.document,
    offersPath: '/offers',
    howToAccept: (url) => `POST status: ACCEPTED to ${url}`,
    requireRoom: async () => undefined,
    principalOf: (req) => {
      const user = req.get('x-user');
      return user === undefined
        ? { kind: 'anonymous' }
        : {
            kind: 'user',
            owner: localOwner(user),
            user,
            roles: [],
            administrator: user === 'admin',
            until: Number(req.get('x-until') ?? Infinity),
          };
    },
    baseUrl: (req) => `http://${req.get('host')}/planner`,
  });
  const collect: ErrorRequestHandler = (error, _req, res, _next) => {
    unexpected.push(error);
    res.status(500).end();
  };
  app.use(['/jobs', '/async'], routes, uwsErrors, collect);
  // As behind a proxy that serves the whole service below a prefix.
  const server = createServer((req, res) => {
    req.url = (req.url ?? '').replace(/^\/planner/, '');
    app(req, res);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const root = `http://127.0.0.1:${address.port}/planner`;
  const jobs = `${root}/jobs`;

  const ask = async (
    target: string,
    { method, as, form, headers = {}, signal }: Init = {},
  ): Promise<Answer> => {
    const response = await fetch(target.startsWith('http') ? target : jobs + target, {
      method: method ?? (form === undefined ? 'GET' : 'POST'),
      redirect: 'manual',
      headers: {
        ...headers,
        ...(as === undefined ? {} : { 'x-user': as }),
        ...(form === undefined
          ? {}
          : { 'content-type': 'application/x-www-form-urlencoded', ...headers }),
      },
      ...(form === undefined ? {} : { body: form }),
      ...(signal === undefined ? {} : { signal }),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };

  await database.destination.create({
    data: { id: 'local', cores: 1e6, memoryMib: 1e6, scratchMib: 1e6, gpus: {} },
  });
  /** An answer with one offer, as the planner writes it; it starts now and may run an hour. */
  const offer = async (owner = 'anonymous', expiresInS = 300): Promise<JobId> => {
    const id = newId();
    const now = Date.now();
    await database.ask.create({
      data: {
        id: randomUUID(),
        owner,
        result: 'YES',
        document: { task: { type: 'uri:executable', spec: { command: ['echo', 'é'] } } },
        inputs: {},
        rulesDigest: '',
        trace: [],
        reasons: [],
        offers: {
          create: [
            {
              id,
              place: 0,
              owner,
              destinationId: 'local',
              runner: 'process',
              expiresAt: new Date(now + expiresInS * 1000),
              promise: {},
              cores: 1000,
              memoryMib: 1024,
              scratchMib: 1024,
              startsAt: new Date(now),
              durationS: 3600,
              startWindowS: 60,
              releaseS: 5,
            },
          ],
        },
      },
    });
    return id;
  };
  const accept = async (id: JobId, mode: StartMode, owner = 'anonymous'): Promise<JobId> => {
    await database.$queryRaw`
      SELECT verdict FROM accept_offer(${id}::uuid, ${owner}, ${mode}::start_mode,
        interval '1 hour', interval '7 days')`;
    return id;
  };
  /** The steps that an executor takes, by the functions that it uses. */
  const executor = {
    begin: (id: JobId) =>
      database.$queryRaw`SELECT begin_job(${id}::uuid, 'executor-1', 'host-1', interval '1 minute')`,
    advance: (id: JobId, state: string) =>
      database.$queryRaw`SELECT advance_job(${id}::uuid, 'executor-1', ${state}::session_state)`,
    finish: (
      id: JobId,
      state: string,
      error: JobError | null = null,
      results: readonly JobResult[] = [],
    ) => database.$queryRaw`
      SELECT finish_job(${id}::uuid, 'executor-1', ${state}::session_state,
        ${error === null ? null : JSON.stringify(error)}::jsonb,
        ${JSON.stringify(results.map((result, place) => ({ ...result, place })))}::jsonb)`,
  };
  const start = async (id: JobId): Promise<JobId> => {
    await executor.begin(id);
    await executor.advance(id, 'RUNNING');
    return id;
  };
  const complete = async (id: JobId, results: readonly JobResult[] = []): Promise<JobId> => {
    await start(id);
    await executor.advance(id, 'RELEASING');
    await executor.finish(id, 'COMPLETED', null, results);
    return id;
  };
  return {
    url,
    database,
    waiters,
    resultsRoot,
    root,
    jobs,
    unexpected,
    ask,
    offer,
    accept,
    executor,
    start,
    complete,
    job: async (mode: StartMode = 'AUTO', owner = 'anonymous'): Promise<JobId> =>
      accept(await offer(owner), mode, owner),
    phase: async (id: JobId, as?: string): Promise<string> =>
      (await ask(`/${id}/phase`, as === undefined ? {} : { as })).text,
    close: async (): Promise<void> => {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
      await waiters.close();
      await close();
      await rm(resultsRoot, { recursive: true, force: true });
    },
  };
}
export type Worker = Awaited<ReturnType<typeof openWorker>>;

/**
 * Resolves once `holds` does; the event is awaited, however long it
 * takes, up to the test's own limit.
 */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) {
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
  }
}
