import type { Request, Response } from 'express';
import type { Database } from '../db/client.ts';
import { ownersNamed, type Whose } from '../identity/owners.ts';
import { Problem } from '../words/problem.ts';
import type { UwsCall, UwsDeps } from './call.ts';
import { describeEntry, type JobEntry, type Places } from './job.ts';
import { listXml, referenceXml } from './print/documents.ts';
import { announce, type Format, formatOf } from './print/format.ts';
import { describeListed } from './print/listed-job.ts';
import { listPage, listRow } from './print/pages.ts';
import { queryOf, single } from './read/control.ts';
import { printCursor } from './read/list-cursor.ts';
import {
  readCountsSince,
  readListExtent,
  readListFilter,
  type ListExtent,
} from './read/list-filter.ts';
import { countRecent } from './store/job-counts.ts';
import { BRIEF, FULL, listJobs, readJobPage, type Columns } from './store/list-jobs.ts';

/**
 * Sends the job list (UWS § 2.2.2.1): a page of it, or all of it while it is read, so that memory
 * never holds a long list.
 */
export async function sendList(
  { database }: UwsDeps,
  call: UwsCall,
  req: Request,
  res: Response,
): Promise<void> {
  const filter = readListFilter(call.parameters);
  const extent = readListExtent(call.parameters);
  const countsSince = readCountsSince(call.parameters);
  const whose = await whoseJobs(database, call);
  const format = formatOf(req);
  const wanted = { database, whose, filter, extent, countsSince, places: call.places };
  await SENDERS[format](wanted, req, res);
}

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

/** How a format shows the list. */
type Layout<Row> = {
  readonly format: Format;
  readonly columns: Columns<Row>;
  readonly head: (wanted: Wanted) => Promise<string>;
  readonly between: string;
  readonly print: (job: Row, places: Places) => string;
  /** @param next where the next page begins */
  readonly tail: (next: NextPage | undefined) => string;
};

type NextPage = { readonly cursor: string; readonly url: string };

type Wanted = {
  readonly database: Database;
  readonly whose: Whose;
  readonly filter: ReturnType<typeof readListFilter>;
  readonly extent: ListExtent;
  /** of the list in JSON */
  readonly countsSince: Date | undefined;
  readonly places: Places;
};

type Sender = (wanted: Wanted, req: Request, res: Response) => Promise<void>;

const SENDERS: Readonly<Record<Format, Sender>> = {
  xml: senderOf({
    ...briefly((job) => referenceXml(job)),
    format: 'xml',
    head: async () => listXml.head,
    // The schema of UWS has no place for the next page; the header Link names it.
    tail: () => listXml.tail,
  }),
  json: senderOf({
    format: 'json',
    columns: FULL,
    head: async (wanted) => `{"version":"1.1",${await printedCounts(wanted)}"jobs":[`,
    between: ',\n',
    print: (job, places) => JSON.stringify(describeListed(job, places)),
    tail: (next) => `]${next === undefined ? '' : `,"next":${JSON.stringify(next.cursor)}`}}\n`,
  }),
  html: senderOf({
    ...briefly((job) => listRow(job)),
    format: 'html',
    head: async () => listPage.head,
    tail: (next) => listPage.tail(next?.url),
  }),
};

function briefly(print: (job: ReturnType<typeof describeEntry>) => string) {
  return {
    columns: BRIEF,
    between: '',
    print: (job: JobEntry, places: Places) => print(describeEntry(job, places)),
  };
}

function senderOf<Row>(layout: Layout<Row>): Sender {
  const { format, head, between, print, tail, columns } = layout;
  return async (wanted, req, res) => {
    const { database, extent, places, whose, filter } = wanted;
    const listing = { whose, filter, columns };
    const begin = await head(wanted);
    if (extent.kind === 'page') {
      const { jobs, next } = await readJobPage(database, listing, extent.limit, extent.after);
      const page = next && nextPage(printCursor(next), places, req);
      announce(res, format);
      if (page !== undefined) res.setHeader('Link', `<${page.url}>; rel="next"`);
      const printed = jobs.map((job) => print(job, places)).join(between);
      res.end(`${begin}${printed}${tail(page)}`);
      return;
    }
    announce(res, format);
    // The head goes out with the first job, so that a silent database gives an error and not half
    // a list.
    let before = begin;
    for await (const job of listJobs(database, listing, extent)) {
      if (res.destroyed) return;
      if (!res.write(before + print(job, places))) await drained(res);
      before = between;
    }
    res.end((before === begin ? begin : '') + tail(undefined));
  };
}

async function printedCounts({ database, whose, countsSince }: Wanted): Promise<string> {
  if (countsSince === undefined) return '';
  return `"counts":${JSON.stringify(await countRecent(database, whose, countsSince))},`;
}

/** The same list from another place on, for a client that follows links (RFC 8288). */
function nextPage(cursor: string, { list }: Places, req: Request): NextPage {
  const kept = [...queryOf(req.url)].filter(([name]) => name.toUpperCase() !== 'CURSOR');
  return { cursor, url: `${list}?${new URLSearchParams([...kept, ['CURSOR', cursor]])}` };
}

/**
 * Whose jobs are listed: the caller's, or with OWNER (an extension of UWS) another user's, and with
 * `*` everybody's, for administrators.
 *
 * @throws Problem `not-your-job` (403) when another caller gives OWNER: the caller's own jobs would
 * be a wrong answer.
 */
async function whoseJobs(
  database: Database,
  { owner, administrator, parameters }: UwsCall,
): Promise<Whose> {
  const name = single(parameters, 'OWNER');
  if (name === undefined) return [owner];
  if (!administrator)
    throw new Problem(
      'not-your-job',
      'OWNER is for administrators. Without it, the list shows your own jobs.',
    );
  return ownersNamed(database, name);
}
