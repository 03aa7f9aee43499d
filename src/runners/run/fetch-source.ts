import { constants } from 'node:fs';
import { open, realpath, type FileHandle } from 'node:fs/promises';
import { FetchFailure, type FetchFailureCode } from '../../fetch/failure.ts';
import {
  guardedGet,
  readBody,
  answerTooLarge,
  type FetchLimits,
  type Resolver,
} from '../../fetch/get.ts';
import { shown } from '../../tasks/task.ts';
import { allowedUrl, getPolicy } from '../../tasks/get-policy.ts';
import { filePath, isBelowPath, type UrlPolicy } from '../../tasks/url-policy.ts';
import { errorText } from '../../words/system-error.ts';

/** The content of a URL, or why there is none. `transient` is true when trying again may help. */
export type Fetched = { readonly ok: true; readonly content: Buffer } | FetchTrouble;

/** The content of a URL and its mark, or that the content with the sent mark is current. */
export type FetchedAgain =
  | { readonly ok: true; readonly content: Buffer; readonly mark: ContentMark | undefined }
  | { readonly ok: true; readonly content: undefined }
  | FetchTrouble;

type FetchTrouble = {
  readonly ok: false;
  readonly code: FetchFailureCode;
  readonly message: string;
  readonly transient: boolean;
};

/** By what a server knows a content again: headers of a request that asks for another one. */
export type ContentMark = Readonly<Record<string, string>>;

type FetchOptions = { readonly resolver?: Resolver; readonly limits?: FetchLimits };

/** 20 MiB in a minute is a line of 3 Mbit/s. */
const LIMITS: FetchLimits = { milliseconds: 60_000, bytes: 20 * 1024 ** 2, redirects: 5 };

/**
 * Fetches what a task names, under the site's policy. It resolves the name once, refuses private
 * addresses, connects to the address that it checked, and checks every redirect like a new URL
 * (OWASP API7:2023). By default at most 60 s, 20 MiB and 5 redirects. Never throws.
 */
export async function fetchSource(
  text: string,
  policy: UrlPolicy,
  options: FetchOptions = {},
): Promise<Fetched> {
  const fetched = await fetchAgain(text, policy, options);
  if (!fetched.ok) return fetched;
  if (fetched.content !== undefined) return { ok: true, content: fetched.content };
  const message = 'the server answered 304 to a request without a condition';
  return { ok: false, code: 'fetch-failed', message, transient: false };
}

/** The same for a content that may have been fetched before. @param mark that of the content */
export async function fetchAgain(
  text: string,
  policy: UrlPolicy,
  {
    resolver,
    limits = LIMITS,
    mark = {},
    stopped,
  }: FetchOptions & { readonly mark?: ContentMark; readonly stopped?: AbortSignal },
): Promise<FetchedAgain> {
  const late = AbortSignal.timeout(limits.milliseconds);
  const signal = stopped === undefined ? late : AbortSignal.any([late, stopped]);
  try {
    const url = allowedUrl(text, policy);
    if (url.protocol === 'file:')
      return { ok: true, content: await fetchFile(url, policy, limits), mark: undefined };
    const got = await guardedGet(url, {
      limits,
      signal,
      policy: getPolicy(policy),
      headers: mark,
      ...(resolver && { resolver }),
    });
    return got.kind === 'body'
      ? { ok: true, content: got.body, mark: markOf(got) }
      : { ok: true, content: undefined };
  } catch (error) {
    return failureOf(error, signal, limits);
  }
}

function markOf({
  etag,
  modified,
}: {
  readonly etag: string | undefined;
  readonly modified: string | undefined;
}): ContentMark | undefined {
  if (etag !== undefined) return { 'if-none-match': etag };
  return modified === undefined ? undefined : { 'if-modified-since': modified };
}

async function fetchFile(url: URL, policy: UrlPolicy, limits: FetchLimits): Promise<Buffer> {
  // O_NONBLOCK: opening a FIFO without a writer would wait for ever.
  const flags = constants.O_RDONLY | constants.O_NONBLOCK;
  const file = await open(filePath(url) ?? '', flags).catch(() => {
    throw new FetchFailure('fetch-failed', 'this file cannot be read');
  });
  try {
    return await readLent(file, policy, limits);
  } finally {
    await file.close();
  }
}

/**
 * The path is checked on the open file, so that no symbolic link, however timed,
 * leads out of the lent directories.
 */
async function readLent(file: FileHandle, policy: UrlPolicy, limits: FetchLimits): Promise<Buffer> {
  const [real, stats] = await Promise.all([realpath(`/proc/self/fd/${file.fd}`), file.stat()]);
  const roots = await Promise.all(policy.fileRoots.map((root) => realpath(root).catch(() => root)));
  if (!isBelowPath(real, roots)) {
    throw new FetchFailure(
      'url-forbidden',
      'this file is outside the directories that the site lends',
    );
  }
  if (!stats.isFile()) throw new FetchFailure('fetch-failed', 'this is not a regular file');
  if (stats.size > limits.bytes) throw answerTooLarge(limits);
  return readBody(file.createReadStream({ autoClose: false }), limits);
}

function failureOf(error: unknown, signal: AbortSignal, limits: FetchLimits): FetchTrouble {
  if (error instanceof FetchFailure) {
    return { ok: false, code: error.code, message: error.message, transient: error.transient };
  }
  if (signal.aborted) {
    const message = `no complete answer within ${limits.milliseconds / 1000} s`;
    return { ok: false, code: 'fetch-timeout', message, transient: true };
  }
  return { ok: false, code: 'fetch-failed', message: shown(errorText(error)), transient: true };
}
