import type { Request } from 'express';
import type { Database } from '../db/client.ts';
import { ownerOf, secondsLeft, type Principal } from '../identity/principal.ts';
import { type JobId, parseOfferId } from '../words/ids.ts';
import { Problem } from '../words/problem.ts';
import { type RequestBody, bodyOf, type RawDocument } from './read/body.ts';
import {
  joined,
  type ControlParameters,
  queryText,
  readParameters,
  shownValue,
} from './read/control.ts';
import type { Job, Places } from './job.ts';
import { readJob } from './store/read-job.ts';
import type { Patience } from './live/patience.ts';
import type { StartMode } from './phases.ts';
import type { Waiters } from './live/waiters.ts';

/** What the worker's routes need from the rest of the service. */
export type UwsDeps = {
  readonly database: Database;
  readonly waiters: Waiters;
  readonly principalOf: (req: Request) => Principal;
  /** URL of the service as the client used it, without a final slash: `https://host/prefix` */
  readonly baseUrl: (req: Request) => string;
  /** absolute; the files of job `<id>` are below `<resultsRoot>/<id>` */
  readonly resultsRoot: string;
  /** longest WAIT, seconds */
  readonly waitCapS: number;
  /** most requests that wait at the same time; the service answers one more at once */
  readonly waits: Patience;
  /** longest time to keep results after the offered end of the run, seconds */
  readonly longestKeepS: number;
  /** how long a job may wait for an executor, seconds; the site file may change it */
  readonly queueLimitS: () => number;
  /** largest body, KiB */
  readonly maxBodyKib: number;
  /**
   * Asks the planner for a task description and accepts its first offer.
   *
   * @param read gives the description, once the client may ask
   * @param call its other parameters belong to the request that an Idempotency-Key marks
   * @param start who starts the job, the planner or its client
   * @throws Problem `job-refused` (403) with the reasons of a NO;
   * `body-unreadable`, `body-not-an-ask` (400)
   */
  readonly askFor: (
    read: () => Promise<RawDocument>,
    call: UwsCall,
    start: StartMode,
  ) => Promise<JobId>;
  /** path of the offers, below the URL of the service */
  readonly offersPath: string;
  /** what a client sends to accept the offer at this URL */
  readonly howToAccept: (url: string) => string;
  /** the document that the client asked for the job with */
  readonly requestOf: (id: JobId) => Promise<unknown>;
  /** @throws Problem `too-much-stored` (429) when the client may not store more */
  readonly requireRoom: (req: Request, bytes: number) => Promise<void>;
  /**
   * fetches the text at a URL that a client gave, under the URL policy; no larger than a body
   * @throws Problem `parameter-invalid` (400)
   */
  readonly fetchDocument: (url: string) => Promise<string>;
};

/** A request about one job; `child` names the parameter or the result. */
export type JobRequest = Request<{ job: string; child?: string }>;

/** One request as the worker sees it; an `administrator` may see and stop the jobs of others. */
export type UwsCall = {
  readonly owner: string;
  readonly administrator: boolean;
  /** how long the client may follow before it must show a credential again, seconds */
  readonly secondsLeft: number;
  readonly places: Places;
  /** those of the query and of the body */
  readonly parameters: ControlParameters;
  readonly body: RequestBody;
  readonly req: Request;
};

const NONE: ControlParameters = new Map();

export function readCall(deps: UwsDeps, req: Request): UwsCall {
  const service = deps.baseUrl(req);
  const body = bodyOf(req);
  const principal = deps.principalOf(req);
  return {
    owner: ownerOf(principal),
    administrator: principal.kind === 'user' && principal.administrator,
    secondsLeft: secondsLeft(principal, Date.now()),
    places: { offers: `${service}${deps.offersPath}`, list: `${service}${req.baseUrl}` },
    parameters: joined(
      req.url.includes('?') ? readParameters(queryText(req.url)) : NONE,
      body.parameters,
    ),
    body,
    req,
  };
}

/**
 * Finds a job that the caller may see: an own job, or any job for an administrator.
 *
 * @throws Problem `job-unknown` (404), also after the job was destroyed; `not-your-job` (403, UWS §
 * 3).
 */
export async function visibleJob(
  database: Database,
  { owner, administrator }: Pick<UwsCall, 'owner' | 'administrator'>,
  id: string,
): Promise<Job> {
  const jobId = parseOfferId(id.toLowerCase());
  const job = jobId === undefined ? undefined : await readJob(database, jobId);
  if (job === undefined)
    throw new Problem('job-unknown', `There is no job ${shownValue(id)}, or it was destroyed.`);
  if (job.owner !== owner && !administrator)
    throw new Problem('not-your-job', `Job ${job.id} belongs to another user.`);
  return job;
}

/**
 * An administrator may end the job of another user, and change nothing else of it.
 *
 * @throws Problem `not-your-job` (403).
 */
export function requireOwn({ owner }: UwsCall, job: Job): void {
  if (job.owner !== owner)
    throw new Problem(
      'not-your-job',
      `Job ${job.id} belongs to another user; an administrator may only abort or destroy it.`,
    );
}
