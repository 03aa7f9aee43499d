import { lstat, realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Response } from 'express';
import type { JobResult } from '../../runners/port.ts';
import { Problem } from '../../words/problem.ts';
import { shownValue } from '../read/control.ts';
import type { Job } from '../job.ts';
import { reprDigest } from './digest.ts';
import { MAIN_RESULT, mainResult } from './main-result.ts';
import { mendRange } from './range.ts';
import { sendFile } from './send-file.ts';

/**
 * What a browser may show in place: text, and pages, which the policy below forbids to run anything
 * and puts into an origin of their own. It downloads everything else.
 */
const INLINE = /^(?:text\/plain|text\/html|application\/json)(?:;|$)/;

/** A task wrote the result, so no browser may run it in the name of this service. */
export const UNTRUSTED = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy':
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'",
};

export const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+(?:; ?[\w-]+=[\w.-]+)*$/;

/**
 * Prints Content-Disposition: an ASCII name for all clients, and the exact one in UTF-8 (RFC 6266).
 */
export function contentDisposition(mimeType: string, path: string): string {
  const name = basename(path).toWellFormed();
  const plain = name.replace(/[^\w.-]/g, '_');
  const exact = encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  );
  const kind = INLINE.test(mimeType) ? 'inline' : 'attachment';
  return `${kind}; filename="${plain}"${plain === name ? '' : `; filename*=UTF-8''${exact}`}`;
}

/** Finds the result of that id; the main result has a second id. */
export function findResult(job: Job, id: string): JobResult | undefined {
  return (
    job.results.find((candidate) => candidate.id === id) ??
    (id === MAIN_RESULT ? mainResult(job) : undefined)
  );
}

export function unknownResult(job: Job, id: string): Problem {
  return new Problem('result-unknown', `Job ${job.id} has no result ${shownValue(id)}.`);
}

/**
 * True for a regular file whose path, from the job's directory on, has no symlink and stays inside.
 */
export async function isPlainFile(
  resultsRoot: string,
  directory: string,
  path: string,
): Promise<boolean> {
  try {
    const home = join(await realpath(resultsRoot), directory);
    const file = join(home, path);
    return (
      file.startsWith(join(home, '/')) &&
      (await realpath(file)) === file &&
      (await lstat(file)).isFile()
    );
  } catch {
    return false;
  }
}

/**
 * Sends the file of a result, or the part in the Range header. The path comes from the database,
 * never from the URL.
 *
 * @throws Problem `result-unknown` (404) when the job has no such result, or its file is gone or is
 * now a symlink.
 */
export async function sendResult(
  res: Response,
  resultsRoot: string,
  job: Job,
  id: string,
): Promise<void> {
  const result = findResult(job, id);
  if (result === undefined) throw unknownResult(job, id);
  if (!(await isPlainFile(resultsRoot, job.id, result.path))) throw unknownResult(job, id);
  res.set(UNTRUSTED);
  res.set(
    'Content-Type',
    MEDIA_TYPE.test(result.mimeType) ? result.mimeType : 'application/octet-stream',
  );
  res.set('Content-Disposition', contentDisposition(result.mimeType, result.path));
  const folder = join(resultsRoot, job.id);
  const { method } = res.req;
  const wanted = res.req.get('want-repr-digest');
  // A file that cannot be read any more is refused where it is sent.
  const digest = await reprDigest(wanted, method, join(folder, result.path)).catch(() => undefined);
  if (digest !== undefined) res.set('Repr-Digest', digest);
  mendRange(res.req, Number(result.size));
  await sendFile(res, result.path, { root: folder, dotfiles: 'allow', cacheControl: false });
}
