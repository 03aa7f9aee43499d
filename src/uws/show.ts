import type { Response } from 'express';
import { dump } from 'js-yaml';
import { visibleOwner } from '../identity/principal.ts';
import { Problem } from '../words/problem.ts';
import type { JobRequest, UwsCall, UwsDeps } from './call.ts';
import { type Job, parameterTexts } from './job.ts';
import { openResults } from './live/live.ts';
import { MEDIA_TYPE } from './print/results.ts';
import { shownValue } from './read/control.ts';
import { readParameter } from './store/kept-parameters.ts';

/** Answers a GET about a job that the caller may see. */
export type Show = (job: Job, call: UwsCall, req: JobRequest, res: Response) => unknown;

/** Shows a part of a job that is one word (UWS § 2.2.2). */
export function showText(text: (job: Job) => string): Show {
  return (job, _call, _req, res) => res.type('text/plain').send(text(job));
}

/** Shows code, message and detail of the error; 404 for a job without error (DALI § 5.2). */
export const showError: Show = ({ id, error }, _call, _req, res) => {
  if (error === null) throw new Problem('no-error', `Job ${id} has no error.`);
  const { code, message, detail } = error;
  res.type('text/plain').send(`${code}: ${message}\n${detail === '' ? '' : `\n${detail}\n`}`);
};

/** Shows the owner; 404 for the job of an anonymous client (UWS § 2.2.1). */
export const showOwner: Show = ({ id, owner, ownerName }, _call, _req, res) => {
  const visible = visibleOwner(owner, ownerName);
  if (visible === undefined)
    throw new Problem('no-owner', `Job ${id} has no owner: its client was anonymous.`);
  res.type('text/plain').send(visible);
};

/** Shows the text of one parameter (UWS § 2.2.3.1.1); REQUEST is the task description. */
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

/** Shows the file of one result, or its present part while the job runs. */
export function showResult(deps: UwsDeps): Show {
  const send = openResults(deps);
  return (job, call, req, res) => send(job, call, req.params.child ?? '', req, res);
}

/** Sends content that a client wrote, so that no browser runs it in the name of this service. */
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
  // `res.set` would add a charset.
  res.setHeader('Content-Type', shownType);
  res.send(Buffer.from(content));
}
