import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import { ZipFile } from 'yazl';
import type { JobResult } from '../../runners/port.ts';
import { errorCode } from '../../words/system-error.ts';
import type { UwsCall } from '../call.ts';
import type { Job } from '../job.ts';
import { preferredType } from '../read/accept.ts';
import { invalidParameter, single } from '../read/control.ts';
import { isPlainFile } from './results.ts';

const ZIP = 'application/zip';
const DOCUMENTS_AND_ZIP = ['application/xml', 'text/xml', 'application/json', 'text/html', ZIP];
/** Other files are compressed already, or are numbers that deflate makes little smaller. */
const TEXT = /^(?:text\/|application\/(?:json|xml|yaml|x-ipynb\+json|x-votable\+xml)|image\/svg)/;
/** The client has left. */
const GONE = 'ERR_STREAM_PREMATURE_CLOSE';

/**
 * Whether the client wants the results as one archive: `RESPONSEFORMAT=zip` (DALI § 3.4.3), for
 * links, or an Accept header that names ZIP before the formats of documents.
 *
 * @throws Problem `parameter-invalid` (400) for another RESPONSEFORMAT
 */
export function wantsArchive({ parameters }: UwsCall, req: Request): boolean {
  const format = single(parameters, 'RESPONSEFORMAT');
  if (format === undefined)
    return (
      (req.headers.accept ?? '').includes(ZIP) && preferredType(req, DOCUMENTS_AND_ZIP) === ZIP
    );
  if (![ZIP, 'zip'].includes(format.toLowerCase()))
    throw invalidParameter('RESPONSEFORMAT', format, `zip or ${ZIP}`);
  return true;
}

/**
 * Sends all results of a job as a ZIP archive, which is made while it is sent: memory holds a part
 * of one file. Files that are gone or have become symlinks are left out.
 */
export async function sendArchive(res: Response, resultsRoot: string, job: Job): Promise<void> {
  res.set({
    'Content-Type': ZIP,
    'Content-Disposition': `attachment; filename="${job.id}.zip"`,
    'X-Content-Type-Options': 'nosniff',
    Vary: 'Accept, Sec-Fetch-Dest',
  });
  if (res.req.method === 'HEAD') return void res.end();
  const zip = new ZipFile();
  let open: Readable | undefined;
  for (const [name, { path, mimeType }] of namesInArchive(job.results)) {
    if (!(await isPlainFile(resultsRoot, job.id, path))) continue;
    zip.addReadStreamLazy(name, { compress: TEXT.test(mimeType) }, (give) => {
      open = createReadStream(join(resultsRoot, job.id, path));
      give(null, open);
    });
  }
  // The answer has begun: a client sees by its broken end that a file could not be read.
  zip.on('error', (error) => res.destroy(error));
  zip.end();
  try {
    await pipeline(zip.outputStream, res);
  } catch (error) {
    open?.destroy();
    if (errorCode(error) !== GONE) throw error;
  }
}

/** The names of results in the archive: their paths below the working directory. */
function namesInArchive(results: readonly JobResult[]): ReadonlyMap<string, JobResult> {
  const names = new Map<string, JobResult>();
  for (const result of results) {
    const name = result.path.replace(/(^|\/)work\//, '$1').replaceAll('\\', '_');
    names.set(names.has(name) ? result.id : name, result);
  }
  return names;
}
