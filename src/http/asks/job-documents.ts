import type { Database } from '../../db/client.ts';
import type { Dialect } from '../../planner/dialect.ts';
import { readAskDocument } from '../../planner/record/kept-ask.ts';
import { findOffer } from '../../planner/record/offer-rows.ts';
import { fetchSource } from '../../runners/run/fetch-source.ts';
import type { Site } from '../../site/site.ts';
import type { JobId } from '../../words/ids.ts';
import { Problem } from '../../words/problem.ts';

/**
 * What the client asked for a job, so that it can be sent again: its own document, or what was
 * promised, since records of earlier versions have no document.
 */
export function openRequestOf(database: Database, dialects: readonly Dialect[]) {
  return async (job: JobId): Promise<unknown> => {
    const document = await readAskDocument(database, job);
    if (document !== null) return document;
    const offer = await findOffer(database, job, undefined);
    const print = dialects.find(({ printRequest }) => printRequest !== undefined)?.printRequest;
    return offer && print?.(offer.promise);
  };
}

/** A client waits for the answer meanwhile. */
const LONGEST_MS = 60_000;

/**
 * The task description at the URL that the parameter REQUEST names.
 * @param maxKib largest description
 * @throws Problem `parameter-invalid` (400) when it cannot be read
 */
export async function fetchDescription(
  url: string,
  { fetch }: Pick<Site, 'fetch'>,
  maxKib: number,
): Promise<string> {
  const limits = { milliseconds: LONGEST_MS, bytes: maxKib * 1024, redirects: 5 };
  const fetched = await fetchSource(url, fetch, { limits });
  if (fetched.ok) return fetched.content.toString('utf8');
  throw new Problem(
    'parameter-invalid',
    `REQUEST names ${url.slice(0, 200)}, which cannot be read: ${fetched.message}.`,
    { errors: [{ path: 'REQUEST', text: fetched.message }] },
  );
}
