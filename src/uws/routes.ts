import { type Request, type RequestHandler, type Response, Router } from 'express';
import { Problem } from '../words/problem.ts';
import { type JobRequest, readCall, type UwsCall, type UwsDeps, visibleJob } from './call.ts';
import { bodyReader, requireForm } from './read/body.ts';
import { changeJob, changeParameters, putParameter } from './write/change-parameters.ts';
import {
  changeDestruction,
  changeExecutionDuration,
  changePhase,
  destroy,
} from './write/changes.ts';
import { shownValue } from './read/control.ts';
import { createJob } from './write/create.ts';
import { type Job, quoteOf } from './job.ts';
import { sendList } from './list.ts';
import { phaseOf } from './phases.ts';
import { showJob, showParameters, showResults } from './show-documents.ts';
import { type Show, showError, showOwner, showParameter, showResult, showText } from './show.ts';
import { printTime } from './read/time.ts';

const readOnly = allow('GET', 'HEAD');
const settable = allow('GET', 'HEAD', 'POST');

/** Changes a job that the caller may see, and gives the URL to redirect to. */
type Change = (
  deps: UwsDeps,
  call: UwsCall,
  job: Job,
  res: Response,
  child: string,
) => Promise<string>;

/**
 * The routes of the worker (UWS 1.1 § 2.2), for /jobs and /async, together with `uwsErrors`. The
 * names below a job are fixed and lower case.
 *
 * @param before handlers before every route. They are in the same router, because another router
 * around it would slow down each GET.
 */
export function uwsRoutes(deps: UwsDeps, ...before: readonly RequestHandler[]): Router {
  const get = (show: Show) => async (req: JobRequest, res: Response) => {
    const call = readCall(deps, req);
    await show(await visibleJob(deps.database, call, req.params.job), call, req, res);
  };
  const change = (apply: Change) => async (req: JobRequest, res: Response) => {
    const call = readCall(deps, req);
    requireForm(call.body);
    res.redirect(
      303,
      await apply(
        deps,
        call,
        await visibleJob(deps.database, call, req.params.job),
        res,
        req.params.child ?? '',
      ),
    );
  };
  const duration = showText(({ executionS }) => `${executionS}`);
  const destruction = showText(({ destructionAt }) => printTime(destructionAt));
  const quote = showText((job) => quoteOf(job)?.toISOString() ?? '');

  const router = Router({ caseSensitive: true });
  router.use(...before, uncached(bodyReader(deps.maxBodyKib)));
  router
    .route('/')
    .get((req, res) => sendList(deps, readCall(deps, req), req, res))
    .post(async (req, res) => res.redirect(303, await createJob(deps, readCall(deps, req))))
    .all(settable);
  router
    .route('/:job')
    .get(get(showJob(deps)))
    .post(change(changeJob))
    .delete(change(destroy))
    .all(allow('GET', 'HEAD', 'POST', 'DELETE'));
  router
    .route('/:job/phase')
    .get(get(showText(phaseOf)))
    .post(change(changePhase))
    .all(settable);
  router
    .route('/:job/executionduration')
    .get(get(duration))
    .post(change(changeExecutionDuration))
    .all(settable);
  router
    .route('/:job/destruction')
    .get(get(destruction))
    .post(change(changeDestruction))
    .all(settable);
  router.route('/:job/quote').get(get(quote)).all(readOnly);
  router.route('/:job/owner').get(get(showOwner)).all(readOnly);
  router.route('/:job/error').get(get(showError)).all(readOnly);
  router
    .route('/:job/parameters')
    .get(get(showParameters))
    .post(change(changeParameters))
    .all(settable);
  router
    .route('/:job/parameters/:child')
    .get(get(showParameter(deps)))
    .put(change(putParameter))
    .all(allow('GET', 'HEAD', 'PUT'));
  router
    .route('/:job/results')
    .get(get(showResults(deps)))
    .all(readOnly);
  router
    .route('/:job/results/:child')
    .get(get(showResult(deps)))
    .all(readOnly);
  router.use((req: Request) => {
    throw new Problem('route-unknown', `There is nothing at ${shownValue(req.originalUrl)}.`);
  });
  return router;
}

/** Forbids caching: a cached document of a job would hide its progress. */
function uncached(handler: RequestHandler): RequestHandler {
  return (req, res, next) => {
    res.setHeader('Cache-Control', 'no-store');
    return handler(req, res, next);
  };
}

function allow(...methods: readonly string[]): RequestHandler {
  return (req) => {
    const allowed = [...methods, 'OPTIONS'].toSorted().join(', ');
    throw new Problem(
      'method-not-allowed',
      `${req.method} is not allowed here; allowed are ${allowed}.`,
      { headers: { Allow: allowed } },
    );
  };
}
