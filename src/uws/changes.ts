import type { Response } from 'express';
import type { Database } from '../db/client.ts';
import { type JobId, parseOfferId } from '../words/ids.ts';
import { Problem } from '../words/problem.ts';
import { type Call, ownJob, type UwsDeps } from './call.ts';
import { invalid, type Parameters, readCount, shown, single, singleAs } from './control.ts';
import { holdWhile } from './hold.ts';
import { type Job, jobUrl, type Places } from './job.ts';
import { phaseOf } from './phases.ts';
import { abortJob, destroyJob, readOffer, runJob, setDestruction, setExecutionDuration, setRunId } from './store.ts';
import { readTime } from './time.ts';
import { isXmlText } from './xml.ts';

/** How long the answer to PHASE=ABORT waits for the run to stop, so that the next GET shows ABORTED already. */
const ABORT_WAIT_S = 2;

/** DALI § 4.3.6 */
const MAX_RUNID = 64;

const conflict = (job: Job, text: string): Problem =>
  new Problem('job-state-conflict', `Job ${job.id} is ${phaseOf(job)}: ${text}`, { state: job.state });

const missing = (name: string, wanted: string): Problem =>
  new Problem('parameter-invalid', `${name} is missing; it must be ${wanted}.`, {
    errors: [{ path: name, text: `must be ${wanted}` }],
  });

const required = <Value>(value: Value | undefined, name: string, wanted: string): Value => {
  if (value === undefined) throw missing(name, wanted);
  return value;
};

const readRunId = (parameters: Parameters): string | undefined =>
  singleAs(parameters, 'RUNID', `1 to ${MAX_RUNID} characters, none of them a control character`,
    (text) => (text !== '' && text.length <= MAX_RUNID && isXmlText(text) ? text : undefined));

/** Only an accepted offer of one's own has a job; the refusal says what to do about it. */
const requireJobOf = async (database: Database, text: string, owner: string, places: Places): Promise<JobId> => {
  const id = parseOfferId(text);
  const offer = id === undefined ? undefined : await readOffer(database, id);
  if (id === undefined || offer === undefined || offer.owner !== owner) {
    throw new Problem('offer-not-yours', `There is no offer ${shown(text)} of yours.`);
  }
  if (offer.hasJob) return id;
  const { lapsed, state } = offer;
  if (state === 'OFFERED' && !lapsed) {
    throw new Problem('offer-not-accepted', `Offer ${id} is not accepted yet. Accept it first: `
      + `POST status: ACCEPTED to ${places.service}/offers/${id}.`, { state });
  }
  if (state === 'OFFERED' || state === 'EXPIRED' || state === 'REJECTED') {
    const now = lapsed ? 'EXPIRED' : state;
    throw new Problem('offer-not-accepted', `Offer ${id} is ${now}; ask again for a new one.`, { state: now });
  }
  throw new Problem('job-state-conflict', `The job of offer ${id} was destroyed.`, { state });
};

/**
 * `POST OFFER=<id>` to the job list (UWS § 2.2.3.1): the job exists since the offer was accepted, so this may be said
 * any number of times. PHASE=RUN starts a job that waits for it; RUNID names one that has no name.
 *
 * @returns where to go.
 */
export const createJob = async ({ database }: UwsDeps, { owner, places, parameters }: Call): Promise<string> => {
  const offer = required(single(parameters, 'OFFER'), 'OFFER', 'the id of an offer that you have accepted');
  const run = singleAs(parameters, 'PHASE', 'RUN', (text) => (text === 'RUN' ? text : undefined));
  const runId = readRunId(parameters);
  const id = await requireJobOf(database, offer, owner, places);
  if (runId !== undefined) await setRunId(database, id, runId);
  if (run !== undefined) await runJob(database, id);
  return jobUrl(places, id);
};

const run = async (database: Database, job: Job): Promise<void> => {
  if ((await runJob(database, job.id)) === 'running') return;
  throw conflict(job, 'PHASE=RUN is for a job that is PENDING.');
};

const abort = async ({ database, waiters }: UwsDeps, { owner }: Call, job: Job, res: Response): Promise<void> => {
  if (job.state === 'CANCELLED') return;
  const isOver = (latest: Job): boolean => latest.endedAt !== null;
  if (isOver(job)) throw conflict(job, 'it is over and cannot be aborted.');
  await abortJob(database, job.id);
  const read = (): Promise<Job> => ownJob(database, owner, job.id);
  await holdWhile(waiters, job, res, ABORT_WAIT_S, read, (latest) => !isOver(latest));
};

/** `PHASE=RUN` or `PHASE=ABORT` (UWS § 2.2.3.5, § 2.2.3.6). @returns where to go. */
export const changePhase = async (deps: UwsDeps, call: Call, job: Job, res: Response): Promise<string> => {
  const wanted = 'RUN or ABORT';
  const phase = required(single(call.parameters, 'PHASE'), 'PHASE', wanted);
  switch (phase) {
    case 'RUN': await run(deps.database, job); break;
    case 'ABORT': await abort(deps, call, job, res); break;
    default: throw invalid('PHASE', phase, wanted);
  }
  return jobUrl(call.places, job.id);
};

/** `EXECUTIONDURATION=<seconds>` (UWS § 2.2.3.4), no more than was offered. @returns where to go. */
export const changeExecutionDuration = async (
  { database }: UwsDeps, { places, parameters }: Call, job: Job,
): Promise<string> => {
  const wanted = 'a whole number of seconds, or 0 for all that was offered';
  const seconds = required(singleAs(parameters, 'EXECUTIONDURATION', wanted, readCount), 'EXECUTIONDURATION', wanted);
  if (!(await setExecutionDuration(database, job.id, seconds))) {
    throw conflict(job, 'its execution duration cannot be changed any more.');
  }
  return jobUrl(places, job.id);
};

/** `DESTRUCTION=<time>` (UWS § 2.2.3.3), no later than the site keeps results. @returns where to go. */
export const changeDestruction = async (deps: UwsDeps, { places, parameters }: Call, job: Job): Promise<string> => {
  const wanted = 'a UTC time such as 2026-08-17T10:00:00Z';
  const at = required(singleAs(parameters, 'DESTRUCTION', wanted, readTime), 'DESTRUCTION', wanted);
  if (!(await setDestruction(deps.database, job.id, at, deps.longestKeepS))) {
    throw conflict(job, 'its results are gone already.');
  }
  return jobUrl(places, job.id);
};

/** DELETE, or ACTION=DELETE (UWS § 2.2.3.2). @returns where to go: the list. */
export const destroy = async ({ database }: UwsDeps, { places }: Call, job: Job): Promise<string> => {
  await destroyJob(database, job.id);
  return places.list;
};

/**
 * POST to the job's own URL. UWS puts ACTION=DELETE there and uws-client PHASE too; nothing else is taken for either,
 * since a service that deletes on any POST loses data.
 *
 * @returns where to go.
 */
export const changeJob = async (deps: UwsDeps, call: Call, job: Job, res: Response): Promise<string> => {
  const action = singleAs(call.parameters, 'ACTION', 'DELETE', (text) => (text === 'DELETE' ? text : undefined));
  const hasPhase = call.parameters.has('PHASE');
  if (action !== undefined && !hasPhase) return destroy(deps, call, job);
  if (action === undefined && hasPhase) return changePhase(deps, call, job, res);
  throw new Problem('parameter-invalid', 'A POST to a job needs either ACTION=DELETE or PHASE=RUN or PHASE=ABORT.');
};

/**
 * The parameters are the offer's, which was checked and promised as a whole.
 *
 * @throws Problem `job-state-conflict` (403), always.
 */
export const changeParameters = (_deps: UwsDeps, _call: Call, job: Job): never => {
  throw conflict(job, 'its parameters are those of its offer and cannot be changed; ask again with others.');
};
