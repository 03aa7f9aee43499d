import { readFile } from 'node:fs/promises';
import { FetchFailure } from '../../fetch/failure.ts';
import { guardedGet, readBody, type FetchLimits } from '../../fetch/get.ts';
import { getPolicy } from '../../tasks/get-policy.ts';
import type { UrlPolicy } from '../../tasks/url-policy.ts';
import { CannotStart } from '../../words/cannot-start.ts';
import { isRecord } from '../../words/record.ts';
import { errorText } from '../../words/system-error.ts';
import type { ExternalSource } from '../content.ts';
import { endOf } from '../http.ts';
import type { RucioService } from '../place.ts';

/** A file's name in a Rucio service. */
export type RucioFile = Extract<ExternalSource, { kind: 'rucio' }>;

/** A file as Rucio describes it. */
export type Replicas = {
  /** the best one first */
  readonly urls: readonly string[];
  readonly bytes: number | undefined;
  readonly md5: string | undefined;
  readonly adler: string | undefined;
};

const LARGEST_LIST: FetchLimits = { milliseconds: 60_000, bytes: 5 * 2 ** 20, redirects: 5 };

const TOKEN = /^[\x21-\x7e]+$/;

/** The token in a file. @throws CannotStart that names the file but not its content */
export async function readRucioToken({ token: file }: RucioService): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new CannotStart(`the Rucio token file ${file} cannot be read: ${errorText(error)}`, {
      cause: error,
    });
  });
  if (TOKEN.test(text.trim())) return text.trim();
  throw new CannotStart(`the Rucio token file ${file} must have one line with a token`);
}

/**
 * The replicas of a file, or of each file of a data set: `GET <endpoint>/replicas/<scope>/<name>`,
 * one JSON document per line.
 *
 * @throws FetchFailure, and what the connection throws
 */
export async function askReplicas(
  file: RucioFile,
  urls: UrlPolicy,
  services: readonly RucioService[],
  stopped: AbortSignal | undefined,
): Promise<readonly Replicas[]> {
  const policy = getPolicy(urls);
  const did = `${encodeURIComponent(file.scope)}/${encodeURIComponent(file.object)}`;
  const list = `${file.endpoint.replace(/\/+$/, '')}/replicas/${did}`;
  const { headers, limits } = await loginOf(file, services);
  const got = await guardedGet(policy.allowed(list), {
    policy,
    limits,
    signal: endOf(limits.milliseconds, stopped),
    headers: { accept: 'application/x-json-stream', ...headers },
    read: (body) => readBody(body, limits),
  });
  const text = got.kind === 'body' ? got.body.toString('utf8') : '';
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(parseReplicas)
    .filter((one) => one !== undefined);
}

/**
 * The headers that authenticate the request. A token may go to its own server only, so a request
 * with a token follows no redirect.
 */
async function loginOf({ endpoint, scope }: RucioFile, services: readonly RucioService[]) {
  const service = services.find(
    (one) => hrefOf(one.endpoint) === hrefOf(endpoint) && one.scopes.includes(scope),
  );
  if (service === undefined) return { headers: {}, limits: LARGEST_LIST };
  // Read for every file: tokens expire within an hour, and another program renews the file.
  const token = await readRucioToken(service).catch((cause: unknown) => {
    throw new FetchFailure('fetch-failed', `the site has no usable token for ${endpoint}`, true, {
      cause,
    });
  });
  return { headers: { 'x-rucio-auth-token': token }, limits: { ...LARGEST_LIST, redirects: 0 } };
}

/** A site may write its host in capitals, or the port that goes without saying. */
function hrefOf(endpoint: string): string | undefined {
  return URL.parse(endpoint)?.href.replace(/\/+$/, '');
}

function parseReplicas(line: string): Replicas | undefined {
  const value: unknown = JSON.parse(line);
  if (!isRecord(value)) return undefined;
  const { pfns, rses, bytes, md5, adler32: adler } = value;
  const ranked = isRecord(pfns)
    ? Object.entries(pfns)
        .toSorted(([, a], [, b]) => priorityOf(a) - priorityOf(b))
        .map(([url]) => url)
    : [];
  const plain = isRecord(rses)
    ? Object.values(rses)
        .flat()
        .filter((url) => typeof url === 'string')
    : [];
  // Some storage omits the leading zeros of an Adler-32.
  return {
    urls: ranked.length > 0 ? ranked : plain,
    bytes: typeof bytes === 'number' ? bytes : undefined,
    md5: textOf(md5),
    adler: textOf(adler)?.padStart(8, '0'),
  };
}

function priorityOf(value: unknown): number {
  return isRecord(value) && typeof value['priority'] === 'number' ? value['priority'] : Infinity;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value.toLowerCase() : undefined;
}
