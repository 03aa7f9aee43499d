import type { Request } from 'express';
import type { Database } from '../db/client.ts';
import { ownerOf, type Principal } from '../identity/principal.ts';
import { type JobId, parseOfferId } from '../words/ids.ts';
import { Problem } from '../words/problem.ts';
import { type RequestBody, bodyOf, type RawDocument } from './read/body.ts';
import { joined, type ControlParameters, readParameters, shownValue } from './read/control.ts';
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
  /** URL of the service as the client used it, without a slash at its end: `https://host/prefix` */
  readonly baseUrl: (req: Request) => string;
  /** absolute; the files of job `<id>` are below `<resultsRoot>/<id>` */
  readonly resultsRoot: string;
  /** longest WAIT, seconds */
  readonly waitCapS: number;
  /** waits at the same time; one more is answered at once */
  readonly waits: Patience;
  /** longest that results are kept after the end of the run as it was offered, seconds */
  readonly longestKeepS: number;
  /** how long a job may wait for an executor, seconds, as the site file says now */
  readonly queueLimitS: () => number;
  /** largest body, KiB */
  readonly maxBodyKib: number;
  /**
   * Asks the planner for a task description and accepts its first offer.
   *
   * @param start who starts the job, the planner or its client
   * @throws Problem `job-refused` (403) with the reasons of a NO;
   * `body-unreadable`, `body-not-an-ask` (400)
   */
  readonly askFor: (document: RawDocument, req: Request, start: StartMode) => Promise<JobId>;
  /** below the URL of the service: where offers are, by their ids */
  readonly offersPath: string;
  /** what to send to accept the offer at a URL */
  readonly howToAccept: (url: string) => string;
  /** the document that a job was asked for with */
  readonly requestOf: (id: JobId) => Promise<unknown>;
  /** @throws Problem `too-much-stored` (429) where nothing more may be kept for the client */
  readonly requireRoom: (req: Request, bytes: number) => Promise<void>;
  /**
   * the text at a URL that a client gave, under the URL policy.
   * @throws Problem `parameter-invalid` (400)
   */
  readonly fetchDocument: (url: string) => Promise<string>;
};

/** One request as the worker sees it; `administrator` sees and stops the jobs of others. */
export type UwsCall = {
  readonly owner: string;
  readonly administrator: boolean;
  readonly places: Places;
  /** of query and body */
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
    places: { offers: `${service}${deps.offersPath}`, list: `${service}${req.baseUrl}` },
    parameters: joined(
      req.url.includes('?') ? readParameters(queryOf(req.url)) : NONE,
      body.parameters,
    ),
    body,
    req,
  };
}

/**
 * The job of that id, if the caller may see it: his own, or any for an administrator.
 *
 * @throws Problem `job-unknown` (404), also when it was destroyed; `not-your-job` (403, UWS § 3).
 */
export async function visibleJob(
  database: Database,
  { owner, administrator }: Pick<UwsCall, 'owner' | 'administrator'>,
  id: string,
): Promise<Job> {
  const jobId = parseOfferId(id);
  const job = jobId === undefined ? undefined : await readJob(database, jobId);
  if (job === undefined)
    throw new Problem('job-unknown', `There is no job ${shownValue(id)}, or it was destroyed.`);
  if (job.owner !== owner && !administrator)
    throw new Problem('not-your-job', `Job ${job.id} belongs to somebody else.`);
  return job;
}

/**
 * What an administrator may do to the job of somebody else is to end
 * it; how it runs is its owner's.
 *
 * @throws Problem `not-your-job` (403).
 */
export function requireOwn({ owner }: UwsCall, job: Job): void {
  if (job.owner !== owner)
    throw new Problem(
      'not-your-job',
      `Job ${job.id} belongs to somebody else; an administrator may abort or destroy it, and nothing more.`,
    );
}

function queryOf(url: string): string {
  return url.slice(url.indexOf('?'));
}
