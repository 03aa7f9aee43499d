import type { Request, Response } from 'express';
import type { Database } from '../db/client.ts';
import { Problem } from '../words/problem.ts';
import type { UwsCall, UwsDeps } from './call.ts';
import { single } from './read/control.ts';
import { listXml, referenceXml } from './print/documents.ts';
import { announce, type Format, formatOf } from './print/format.ts';
import { describeEntry, type JobReference } from './job.ts';
import { readListFilter } from './read/list-filter.ts';
import { listPage, listRow } from './print/pages.ts';
import { listJobs, ownersNamed } from './store/store.ts';
import { isXmlText } from '../xml/escape.ts';

type Layout = {
  readonly head: string;
  readonly between: string;
  readonly tail: string;
  readonly print: (job: JobReference) => string;
};

const LAYOUTS: Readonly<Record<Format, Layout>> = {
  xml: { ...listXml, between: '', print: referenceXml },
  json: {
    head: '{"version":"1.1","jobs":[',
    between: ',\n',
    tail: ']}\n',
    print: (job) => JSON.stringify(job),
  },
  html: { ...listPage, between: '', print: listRow },
};

/** Resolves when the client has read what was written, or has gone. */
export function drained(res: Response): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      res.off('drain', done).off('close', done);
      resolve();
    };
    res.on('drain', done).on('close', done);
  });
}

/**
 * Sends the job list (UWS § 2.2.2.1) while it reads it: memory holds one page of a list of any
 * length.
 */
export async function sendList(
  { database }: UwsDeps,
  call: UwsCall,
  req: Request,
  res: Response,
): Promise<void> {
  const filter = readListFilter(call.parameters);
  const owners = await ownersOf(database, call);
  const format = formatOf(req);
  announce(res, format);
  const { head, between, tail, print } = LAYOUTS[format];
  // The head goes out with the first job, so that a silent database gives an error and not half a
  // list.
  let before = head;
  for await (const entry of listJobs(database, owners, filter)) {
    if (res.destroyed) return;
    if (!res.write(before + print(describeEntry(entry, call.places)))) await drained(res);
    before = between;
  }
  res.end((before === head ? head : '') + tail);
}

/**
 * The owners whose jobs are listed: the caller, or with OWNER (an extension of UWS) another user,
 * for administrators.
 *
 * @throws Problem `not-your-job` (403) when another caller gives OWNER: the caller's own jobs would
 * be a wrong answer.
 */
async function ownersOf(
  database: Database,
  { owner, administrator, parameters }: UwsCall,
): Promise<readonly string[]> {
  const name = single(parameters, 'OWNER');
  if (name === undefined) return [owner];
  if (!administrator)
    throw new Problem(
      'not-your-job',
      'OWNER is for administrators. Without it, the list shows your own jobs.',
    );
  // No name has a character that XML forbids, and PostgreSQL refuses NUL.
  return isXmlText(name) ? ownersNamed(database, name) : [];
}
