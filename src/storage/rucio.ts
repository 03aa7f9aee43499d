import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FetchFailure } from '../fetch/failure.ts';
import { guardedGet, readBody, type FetchLimits } from '../fetch/get.ts';
import { getPolicy } from '../tasks/get-policy.ts';
import { checkUrl, type UrlPolicy } from '../tasks/url-policy.ts';
import { CannotStart } from '../words/cannot-start.ts';
import { isRecord } from '../words/record.ts';
import type { ExpectedFile } from './check/checksums.ts';
import { checkFile } from './check/file-check.ts';
import type { ExternalSource } from './content.ts';
import { downloadUrl, endOf, fileNameOf } from './http.ts';
import type { RucioService } from './place.ts';
import { errorText } from '../words/system-error.ts';

type RucioFile = Extract<ExternalSource, { kind: 'rucio' }>;

/** A file as Rucio describes it. */
type Replicas = {
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
 * Downloads a file through Rucio: reads its list of replicas (`GET
 * <endpoint>/replicas/<scope>/<name>`, one JSON document per line), then downloads the first
 * http(s) replica that the policy allows.
 *
 * @param services those for which the site has a token; others must show replicas to everybody
 * @param most bytes
 * @throws FetchFailure if there is no such replica, or its contents differ from the list's checksum
 */
export async function downloadRucio(
  source: RucioFile,
  directory: string,
  {
    urls,
    services,
    most,
    signal,
  }: {
    readonly urls: UrlPolicy;
    readonly services: readonly RucioService[];
    readonly most: number;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<void> {
  const name = `${source.scope}:${source.object}`;
  const [found, ...more] = await readReplicas(source, urls, services, signal);
  const open = found?.urls.find((url) => /^https?:/.test(url) && checkUrl(url, urls).ok);
  if (more.length > 0)
    throw new FetchFailure(
      'fetch-failed',
      `${name} is a data set of ${more.length + 1} files; name one of them`,
    );
  if (found === undefined || open === undefined)
    throw new FetchFailure(
      'fetch-failed',
      `Rucio knows no replica of ${name} that is read by http or https here`,
    );
  if ((found.bytes ?? 0) > most)
    throw new FetchFailure('fetch-too-large', `${name} has ${found.bytes} bytes`);
  const check = checkFile(expectedOf(found));
  await downloadUrl(
    open,
    join(directory, fileNameOf(`https://rucio/${encodeURIComponent(source.object)}`)),
    { urls, most, signal, see: check.see },
  );
  const difference = check.difference();
  if (difference !== undefined)
    throw new FetchFailure(
      'fetch-failed',
      `the copy of ${name} at ${new URL(open).host} is wrong: ${difference}`,
      true,
    );
}

async function readReplicas(
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

/** Its length, and its MD5 or else its Adler-32. */
function expectedOf({ bytes, md5, adler }: Replicas): ExpectedFile {
  if (md5 !== undefined) return { bytes, checksum: { algorithm: 'md5', value: md5 } };
  if (adler !== undefined) return { bytes, checksum: { algorithm: 'adler32', value: adler } };
  return { bytes };
}
