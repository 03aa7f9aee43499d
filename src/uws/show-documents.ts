import type { Response } from 'express';
import { type JobRequest, type UwsCall, type UwsDeps, visibleJob } from './call.ts';
import { describeJob, type Job, type JobDocument, jobUrl } from './job.ts';
import { holdWhile } from './live/hold.ts';
import { openPatience } from './live/patience.ts';
import { phaseOf } from './phases.ts';
import { sendArchive, wantsArchive } from './print/archive.ts';
import { jobXml, parametersXml, resultsXml } from './print/documents.ts';
import { type Format, formatOf, sendDocument } from './print/format.ts';
import { jobPage, parametersPage, resultsPage } from './print/pages.ts';
import { isWorthWaiting, readWait } from './read/wait.ts';
import type { Show } from './show.ts';
import { keptText } from './store/kept-texts.ts';

/** Prints a document about a job, in each format. */
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

/** Documents that were printed already: many clients may follow one job. */
const printed = new WeakMap<Job, Map<Printers, Map<string, string>>>();

export const showParameters = show(PARAMETERS);

/** Shows the list of results, also of a job without results, or sends all of them as one archive. */
export function showResults({ resultsRoot }: UwsDeps): Show {
  const send = show(RESULTS);
  return (job, call, req, res) =>
    wantsArchive(call, req) ? sendArchive(res, resultsRoot, job) : send(job, call, req, res);
}

/**
 * Shows the job itself, with WAIT (UWS § 2.2.1.2). HEAD does not wait, since clients check with it
 * that they reach the service.
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
        job.id,
        res,
        Math.min(wait.seconds, call.secondsLeft),
        read,
        (latest) => phaseOf(latest) === phase,
      );
    } finally {
      quota.leave(call);
    }
  };
  const send = show(JOB);
  return async (job, call, req, res) => send(await settle(job, call, req, res), call, req, res);
}

function show(print: Printers): Show {
  return (job, { places }, req, res) => {
    const format = formatOf(req);
    const text = keptText(printedOf(job, print), `${format} ${places.list}`, () =>
      print[format](describeJob(job, places), places.list, jobUrl(places, job.id)),
    );
    sendDocument(res, format, text);
  };
}

function printedOf(job: Job, print: Printers): Map<string, string> {
  const ofJob = printed.get(job) ?? new Map<Printers, Map<string, string>>();
  printed.set(job, ofJob);
  const texts = ofJob.get(print) ?? new Map<string, string>();
  ofJob.set(print, texts);
  return texts;
}
