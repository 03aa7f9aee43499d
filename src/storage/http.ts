import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { FetchFailure } from '../fetch/failure.ts';
import { guardedGet, limited, readBody, type FetchLimits } from '../fetch/get.ts';
import { getPolicy } from '../tasks/get-policy.ts';
import { checkUrl, type UrlPolicy } from '../tasks/url-policy.ts';
import { isRecord } from '../words/record.ts';

const LONGEST_MS = 3_600_000;
const REDIRECTS = 5;

/** Name of a file for a URL: the end of its path, as far as that is one. */
export const fileNameOf = (location: string): string => {
  const last = URL.parse(location)?.pathname.split('/').findLast((step) => step !== '') ?? '';
  try {
    const name = decodeURIComponent(last);
    return name === '' || name === '.' || name === '..' || /[/\0]/.test(name) || Buffer.byteLength(name) > 255 ? 'data' : name;
  } catch {
    return 'data';
  }
};

/** Downloads a URL to a file under the site's policy. @param most bytes @throws FetchFailure, and what the connection throws */
export const downloadUrl = async (location: string, file: string, urls: UrlPolicy, most: number): Promise<void> => {
  const policy = getPolicy(urls);
  const limits: FetchLimits = { milliseconds: LONGEST_MS, bytes: most, redirects: REDIRECTS };
  await guardedGet(policy.allowed(location), {
    policy, limits, signal: AbortSignal.timeout(LONGEST_MS),
    read: async (body) => {
      await pipeline(limited(body, limits), createWriteStream(file, { flags: 'wx', mode: 0o600 }));
      return Buffer.alloc(0);
    },
  });
};

/** A file as Rucio describes it. */
type Replicas = { readonly urls: readonly string[]; readonly bytes: number | undefined; readonly md5: string | undefined };

const LARGEST_LIST: FetchLimits = { milliseconds: 60_000, bytes: 5 * 2 ** 20, redirects: REDIRECTS };

const priorityOf = (value: unknown): number => (isRecord(value) && typeof value['priority'] === 'number' ? value['priority'] : Infinity);

const parseReplicas = (line: string): Replicas | undefined => {
  const value: unknown = JSON.parse(line);
  if (!isRecord(value)) return undefined;
  const { pfns, rses, bytes, md5 } = value;
  const ranked = isRecord(pfns) ? Object.entries(pfns).toSorted(([, a], [, b]) => priorityOf(a) - priorityOf(b)).map(([url]) => url) : [];
  const plain = isRecord(rses) ? Object.values(rses).flat().filter((url) => typeof url === 'string') : [];
  return { urls: ranked.length > 0 ? ranked : plain, bytes: typeof bytes === 'number' ? bytes : undefined, md5: typeof md5 === 'string' ? md5 : undefined };
};

const md5Of = async (file: string): Promise<string> => {
  const hash = createHash('md5');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
};

/**
 * Downloads a file that Rucio knows: its list of replicas (`GET <endpoint>/replicas/<scope>/<name>`, one JSON document a
 * line), then the first of them by http(s) that the policy allows. No login: the service must show replicas to everybody.
 *
 * @throws FetchFailure when there is no such replica, or its contents are not those of the list
 */
export const downloadRucio = async (
  { endpoint, scope, object }: { readonly endpoint: string; readonly scope: string; readonly object: string }, directory: string, urls: UrlPolicy, most: number,
): Promise<void> => {
  const policy = getPolicy(urls);
  const list = `${endpoint.replace(/\/+$/, '')}/replicas/${encodeURIComponent(scope)}/${encodeURIComponent(object)}`;
  const got = await guardedGet(policy.allowed(list), {
    policy, limits: LARGEST_LIST, signal: AbortSignal.timeout(LARGEST_LIST.milliseconds), headers: { accept: 'application/x-json-stream' },
    read: (body) => readBody(body, LARGEST_LIST),
  });
  const text = got.kind === 'body' ? got.body.toString('utf8') : '';
  const files = text.split('\n').filter((line) => line.trim() !== '').map(parseReplicas).filter((one) => one !== undefined);
  const [found, ...more] = files;
  const open = found?.urls.find((url) => /^https?:/.test(url) && checkUrl(url, urls).ok);
  if (more.length > 0) throw new FetchFailure('fetch-failed', `${scope}:${object} is a data set of ${files.length} files; name one of them`);
  if (found === undefined || open === undefined) throw new FetchFailure('fetch-failed', `Rucio knows no replica of ${scope}:${object} that is read by http or https here`);
  if ((found.bytes ?? 0) > most) throw new FetchFailure('fetch-too-large', `${scope}:${object} has ${found.bytes} bytes`);
  const file = join(directory, fileNameOf(`https://rucio/${encodeURIComponent(object)}`));
  await downloadUrl(open, file, urls, most);
  if (found.md5 !== undefined && (await md5Of(file)) !== found.md5) {
    throw new FetchFailure('fetch-failed', `what ${new URL(open).host} sent is not ${scope}:${object}: its MD5 is another`, true);
  }
};
