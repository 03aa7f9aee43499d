import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { FetchFailure } from '../fetch/failure.ts';
import { guardedGet, limited, type FetchLimits } from '../fetch/get.ts';
import { getPolicy } from '../tasks/get-policy.ts';
import type { UrlPolicy } from '../tasks/url-policy.ts';
import type { ExternalSource } from './content.ts';
import type { ExpectedFile } from './check/checksums.ts';
import { checkFile } from './check/file-check.ts';
import { fileNameFor } from './names.ts';

/** The longest download of a file, milliseconds. */
export const LONGEST_DOWNLOAD_MS = 3_600_000;
const REDIRECTS = 5;

/** A file name for a URL: the last step of its path, if that is a file name. */
export function fileNameOf(location: string): string {
  const last =
    URL.parse(location)
      ?.pathname.split('/')
      .findLast((step) => step !== '') ?? '';
  try {
    return fileNameFor(decodeURIComponent(last));
  } catch {
    return 'data';
  }
}

type HttpFile = Extract<ExternalSource, { readonly kind: 'http' }>;

type DownloadTerms = {
  readonly urls: UrlPolicy;
  /** bytes */
  readonly most: number;
  /** ends it early */
  readonly signal?: AbortSignal | undefined;
};

/** What a download must be; `wrong` says that a host sent something else. */
type Expectation = { readonly expected: ExpectedFile; readonly wrong: (host: string) => string };

/**
 * Downloads a file into a directory, and holds it against what it must be.
 * @throws FetchFailure, and what the connection throws
 */
export async function downloadFile(
  { location, expected = {} }: HttpFile,
  directory: string,
  terms: DownloadTerms,
): Promise<void> {
  await downloadUrl(location, join(directory, fileNameOf(location)), terms, {
    expected,
    wrong: (host) => `what ${host} sent is not the requested file`,
  });
}

/**
 * Downloads a URL to a file under the site's policy, and holds it against what it must be.
 * @throws FetchFailure, and what the connection throws
 */
export async function downloadUrl(
  location: string,
  file: string,
  { urls, most, signal }: DownloadTerms,
  { expected, wrong }: Expectation,
): Promise<void> {
  const policy = getPolicy(urls);
  const limits: FetchLimits = {
    milliseconds: LONGEST_DOWNLOAD_MS,
    bytes: most,
    redirects: REDIRECTS,
  };
  const check = checkFile(expected);
  await guardedGet(policy.allowed(location), {
    policy,
    limits,
    signal: endOf(LONGEST_DOWNLOAD_MS, signal),
    read: async (body) => {
      await pipeline(
        shown(limited(body, limits), check.see),
        createWriteStream(file, { flags: 'wx', mode: 0o600 }),
      );
      return Buffer.alloc(0);
    },
  });
  const difference = check.difference();
  if (difference !== undefined)
    throw new FetchFailure('fetch-failed', `${wrong(new URL(location).host)}: ${difference}`, true);
}

/** The end of a time, or an earlier one. */
export function endOf(milliseconds: number, signal: AbortSignal | undefined): AbortSignal {
  const late = AbortSignal.timeout(milliseconds);
  return signal === undefined ? late : AbortSignal.any([late, signal]);
}

async function* shown(
  pieces: AsyncIterable<Buffer>,
  see: (piece: Buffer) => void,
): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    see(piece);
    yield piece;
  }
}
