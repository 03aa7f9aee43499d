import { lstat, realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Response } from 'express';
import type { JobResult } from '../../runners/port.ts';
import { Problem } from '../../words/problem.ts';
import { shownValue } from '../read/control.ts';
import type { Job } from '../job.ts';
import { MAIN_RESULT, mainResult } from './main-result.ts';

/**
 * What a browser may show in place: text, and pages, which the policy below keeps from running
 * anything and gives an origin of their own. Everything else is a download.
 */
const INLINE = /^(?:text\/plain|text\/html|application\/json)(?:;|$)/;

/**
 * A result was written by a task: whatever it is, no browser may run
 * it in the name of this service.
 */
export const UNTRUSTED = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy':
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'",
};

export const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+(?:; ?[\w-]+=[\w.-]+)*$/;

/** RFC 6266: a plain name for everybody, and the real one in UTF-8. */
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

/** The result of that id, the main one by its second id too. */
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
 * A file exists for us only when no part of its path, from the job's directory on,
 * is a symlink or leads out of it.
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

type RefusedPart = Error & { readonly status: number; readonly headers?: Record<string, string> };

/**
 * Sends the file of a result, or the part of it that Range asks for. The path comes from
 * the database, never from the URL.
 *
 * @throws Problem `result-unknown` (404) when the job has no such result, or its
 * file is gone or became a symlink.
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
  await sendFile(res, join(resultsRoot, job.id), result.path);
}

function sendFile(res: Response, root: string, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    res.sendFile(path, { root, dotfiles: 'allow', cacheControl: false }, (error?: Error) => {
      // A client that leaves in the middle is no failure of ours; pyvo does that.
      if (error === undefined || res.headersSent || res.destroyed) return resolve();
      if (!isRefusedPart(error)) return reject(error);
      res.removeHeader('Content-Type');
      res.removeHeader('Content-Disposition');
      res
        .status(error.status)
        .set(error.headers ?? {})
        .end();
      resolve();
    });
  });
}

/** 412 and 416: what the client asked for by Range or If-Match cannot be had. */
function isRefusedPart(error: Error): error is RefusedPart {
  return 'status' in error && (error.status === 412 || error.status === 416);
}
