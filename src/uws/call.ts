import type { Request } from 'express';
import type { Database } from '../db/client.ts';
import { ownerOf, type Principal } from '../identity/principal.ts';
import { parseOfferId } from '../words/ids.ts';
import { Problem } from '../words/problem.ts';
import { type Parameters, readParameters, shown } from './control.ts';
import type { Job, Places } from './job.ts';
import { readJob } from './store.ts';
import type { Waiters } from './waiters.ts';

/** What the worker's routes need from the rest of the service. */
export type UwsDeps = {
  readonly database: Database;
  readonly waiters: Waiters;
  readonly principalOf: (req: Request) => Principal;
  /** URL of the service as the client used it, without a slash at its end: `https://host/prefix` */
  readonly baseUrl: (req: Request) => string;
  /** absolute; the files of job `<id>` are below `<resultsRoot>/<id>` */
  readonly resultsRoot: string;
  /** longest WAIT, seconds */
  readonly waitCapS: number;
  /** waits of one owner at the same time, in this process; one more is answered at once */
  readonly waitsPerOwner: number;
  /** longest that results are kept after the end of the run as it was offered, seconds */
  readonly longestKeepS: number;
};

/** One request as the worker sees it. */
export type Call = { readonly owner: string; readonly places: Places; readonly parameters: Parameters };

const queryOf = (url: string): string => (url.includes('?') ? url.slice(url.indexOf('?')) : '');

export const readCall = (deps: UwsDeps, req: Request): Call => {
  const service = deps.baseUrl(req);
  const body: unknown = req.body;
  return {
    owner: ownerOf(deps.principalOf(req)),
    places: { service, list: `${service}${req.baseUrl}` },
    parameters: readParameters(queryOf(req.url), typeof body === 'string' ? body : ''),
  };
};

/**
 * The caller's job of that id.
 *
 * @throws Problem `job-unknown` (404), also when it was destroyed; `not-your-job` (403, UWS § 3).
 */
export const ownJob = async (database: Database, owner: string, id: string): Promise<Job> => {
  const jobId = parseOfferId(id);
  const job = jobId === undefined ? undefined : await readJob(database, jobId);
  if (job === undefined) throw new Problem('job-unknown', `There is no job ${shown(id)}, or it was destroyed.`);
  if (job.owner !== owner) throw new Problem('not-your-job', `Job ${job.id} belongs to somebody else.`);
  return job;
};
