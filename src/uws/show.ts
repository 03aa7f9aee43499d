import type { Request, Response } from 'express';
import { dump } from 'js-yaml';
import { visibleOwner } from '../identity/principal.ts';
import { Problem } from '../words/problem.ts';
import { type UwsCall, type UwsDeps, visibleJob } from './call.ts';
import { shownValue } from './read/control.ts';
import { jobXml, parametersXml, resultsXml } from './print/documents.ts';
import { type Format, formatOf, sendDocument } from './print/format.ts';
import { holdWhile } from './live/hold.ts';
import { describeJob, jobUrl, type Job, type JobDocument, parameterTexts } from './job.ts';
import { jobPage, parametersPage, resultsPage } from './print/pages.ts';
import { phaseOf } from './phases.ts';
import { readParameter } from './store/kept-parameters.ts';
import { keptText } from './store/kept-texts.ts';
import { openResults } from './live/live.ts';
import { MEDIA_TYPE } from './print/results.ts';
import { openPatience } from './live/patience.ts';
import { isWorthWaiting, readWait } from './read/wait.ts';

/** A request about one job; `child` is the name of the parameter or the result that it is about. */
export type JobRequest = Request<{ job: string; child?: string }>;

/** Answers a GET about a job that the caller may see. */
export type Show = (job: Job, call: UwsCall, req: JobRequest, res: Response) => unknown;

/** A part of a job that is one word (UWS § 2.2.2). */
export function showText(text: (job: Job) => string): Show {
  return (job, _call, _req, res) => res.type('text/plain').send(text(job));
}

/** How a document about a job is printed in each format. */
type Printers = Readonly<
  Record<Format, (document: JobDocument, list: string, url: string) => string>
>;

const JOB: Printers = { xml: jobXml, json: (document) => JSON.stringify(document), html: jobPage };
const PARAMETERS: Printers = {
  xml: parametersXml,
  json: ({ parameters }) => JSON.stringify({ parameters }),
  html: parametersPage,
};
const RESULTS: Printers = {
  xml: resultsXml,
  json: ({ results }) => JSON.stringify({ results }),
  html: resultsPage,
};

/** Many may follow one job: what is read once for all of them is printed once, too. */
const known = new WeakMap<Job, Map<Printers, Map<string, string>>>();

export const showParameters: Show = (job, call, req, res) => send(job, call, req, res, PARAMETERS);

/** Served while it is empty, too. */
export const showResults: Show = (job, call, req, res) => send(job, call, req, res, RESULTS);

/**
 * The job itself, with WAIT (UWS § 2.2.1.2). HEAD does not wait: it is how
 * clients check that they can reach us.
 */
export function showJob(deps: UwsDeps): Show {
  const quota = openPatience(deps.waits);
  const settle = async (job: Job, call: UwsCall, req: JobRequest, res: Response): Promise<Job> => {
    const wait = readWait(call.parameters, deps.waitCapS);
    if (
      wait === undefined ||
      req.method === 'HEAD' ||
      !isWorthWaiting(job, wait) ||
      !quota.enter(call)
    )
      return job;
    const phase = phaseOf(job);
    const read = (): Promise<Job> => visibleJob(deps.database, call, job.id);
    try {
      return await holdWhile(
        deps.waiters,
        job,
        res,
        wait.seconds,
        read,
        (latest) => phaseOf(latest) === phase,
      );
    } finally {
      quota.leave(call);
    }
  };
  return async (job, call, req, res) =>
    send(await settle(job, call, req, res), call, req, res, JOB);
}

/** Code, message and detail; 404 while there is no error (DALI § 5.2). */
export const showError: Show = ({ id, error }, _call, _req, res) => {
  if (error === null) throw new Problem('no-error', `Job ${id} has no error.`);
  const { code, message, detail } = error;
  res.type('text/plain').send(`${code}: ${message}\n${detail === '' ? '' : `\n${detail}\n`}`);
};

/** Exists only when the job was made with a credential (UWS § 2.2.1). */
export const showOwner: Show = ({ id, owner, ownerName }, _call, _req, res) => {
  const visible = visibleOwner(owner, ownerName);
  if (visible === undefined)
    throw new Problem('no-owner', `Job ${id} has no owner: nobody said who made it.`);
  res.type('text/plain').send(visible);
};

/** The text of one parameter (UWS § 2.2.3.1.1); REQUEST is the task description. */
export function showParameter({ database, requestOf }: UwsDeps): Show {
  return async (job, _call, { params: { child = '' } }, res) => {
    const name = child.toUpperCase();
    const text = parameterTexts(job).get(name);
    if (text !== undefined) return res.type('text/plain').send(text);
    if (name === 'REQUEST') return res.type('application/yaml').send(dump(await requestOf(job.id)));
    const given = await readParameter(database, job.id, child);
    if (given === undefined)
      throw new Problem(
        'parameter-unknown',
        `Job ${job.id} has no parameter ${shownValue(child)}.`,
      );
    return sendGiven(res, given.type, given.content);
  };
}

/** The file of one result, or what there is of it while the job runs. */
export function showResult(deps: UwsDeps): Show {
  const send = openResults(deps);
  return (job, call, req, res) => send(job, call, req.params.child ?? '', req, res);
}

function send(
  job: Job,
  { places }: UwsCall,
  req: JobRequest,
  res: Response,
  print: Printers,
): void {
  const format = formatOf(req);
  const text = keptText(printedOf(job, print), `${format} ${places.list}`, () =>
    print[format](describeJob(job, places), places.list, jobUrl(places, job.id)),
  );
  sendDocument(res, format, text);
}

function printedOf(job: Job, print: Printers): Map<string, string> {
  const ofJob = known.get(job) ?? new Map<Printers, Map<string, string>>();
  known.set(job, ofJob);
  const texts = ofJob.get(print) ?? new Map<string, string>();
  ofJob.set(print, texts);
  return texts;
}

/**
 * A parameter's content was written by a client: no browser may run it in the name of this service.
 */
function sendGiven(res: Response, type: string | null, content: Uint8Array): void {
  res.set({
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "sandbox; default-src 'none'",
  });
  if (type !== null) res.set('Content-Disposition', 'attachment');
  const shownType =
    type === null
      ? 'text/plain; charset=utf-8'
      : MEDIA_TYPE.test(type)
        ? type
        : 'application/octet-stream';
  // Not by `res.set`, which adds a charset that nobody said.
  res.setHeader('Content-Type', shownType);
  res.send(Buffer.from(content));
}
