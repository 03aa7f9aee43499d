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
import { isXmlText } from './print/xml.ts';

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

/** Resolves once the client has taken what was written, or has gone. */
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
 * The job list (UWS § 2.2.2.1), written while it is read: a page of it is
 * in memory, however long it is.
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
  // The head goes out with the first job: a database that does not answer is an
  // error then, and not half a list.
  let before = head;
  for await (const entry of listJobs(database, owners, filter)) {
    if (res.destroyed) return;
    if (!res.write(before + print(describeEntry(entry, call.places)))) await drained(res);
    before = between;
  }
  res.end((before === head ? head : '') + tail);
}

/**
 * Whose jobs are listed: the caller's own, or with OWNER, which is ours and not of UWS, those of
 * one other for an administrator.
 *
 * @throws Problem `not-your-job` (403) for everybody else: a list of one's
 * own jobs would be a wrong answer.
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
      'OWNER is for administrators; without it the list has your own jobs.',
    );
  // Nobody's name has what XML forbids, and the database takes no NUL.
  return isXmlText(name) ? ownersNamed(database, name) : [];
}
