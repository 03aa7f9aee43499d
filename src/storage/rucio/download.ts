import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { FetchFailure } from '../../fetch/failure.ts';
import { checkUrl, type UrlPolicy } from '../../tasks/url-policy.ts';
import { errorText } from '../../words/system-error.ts';
import type { ExpectedFile } from '../check/checksums.ts';
import { downloadUrl, endOf, fileNameOf, LONGEST_DOWNLOAD_MS } from '../http.ts';
import type { RucioService } from '../place.ts';
import { askReplicas, type Replicas, type RucioFile } from './replicas.ts';

type RucioTerms = {
  readonly urls: UrlPolicy;
  /** those for which the site has a token; others must show replicas to everybody */
  readonly services: readonly RucioService[];
  /** bytes */
  readonly most: number;
  readonly signal?: AbortSignal | undefined;
};

/**
 * Downloads a file through Rucio: reads its list of replicas, then downloads the http(s) replicas
 * that the policy allows in turn, until one is whole.
 *
 * @throws FetchFailure if there is no such replica, or none has what the list says
 */
export async function downloadRucio(
  source: RucioFile,
  directory: string,
  { urls, services, most, signal }: RucioTerms,
): Promise<void> {
  const name = `${source.scope}:${source.object}`;
  const [found, ...more] = await askReplicas(source, urls, services, signal);
  if (more.length > 0)
    throw new FetchFailure(
      'fetch-failed',
      `${name} is a data set of ${more.length + 1} files; name one of them`,
    );
  const open = found?.urls.filter((url) => /^https?:/.test(url) && checkUrl(url, urls).ok) ?? [];
  if (found === undefined || open.length === 0)
    throw new FetchFailure(
      'fetch-failed',
      `Rucio knows no replica of ${name} that is read by http or https here`,
    );
  if ((found.bytes ?? 0) > most)
    throw new FetchFailure('fetch-too-large', `${name} has ${found.bytes} bytes`);
  const file = join(directory, fileNameOf(`https://rucio/${encodeURIComponent(source.object)}`));
  // For all copies together.
  const terms = { urls, most, signal: endOf(LONGEST_DOWNLOAD_MS, signal) };
  const expectation = {
    expected: expectedOf(found),
    wrong: (host: string) => `the copy of ${name} at ${host} is wrong`,
  };
  const failures: unknown[] = [];
  for (const url of open)
    try {
      return await downloadUrl(url, file, terms, expectation);
    } catch (error) {
      failures.push(error);
      await rm(file, { force: true });
      if (terms.signal.aborted) break;
    }
  throw failureOf(failures, name);
}

/** The failure of the first copy, which is the best one, and how many failed. */
function failureOf(failures: readonly unknown[], name: string): unknown {
  const [first, ...others] = failures;
  if (others.length === 0) return first;
  const isFinal = failures.every((error) => error instanceof FetchFailure && !error.transient);
  return new FetchFailure(
    'fetch-failed',
    `none of ${failures.length} copies of ${name} can be read; the first: ${errorText(first)}`,
    !isFinal,
    { cause: first },
  );
}

/** Its length, and its MD5 or else its Adler-32. */
function expectedOf({ bytes, md5, adler }: Replicas): ExpectedFile {
  if (md5 !== undefined) return { bytes, checksum: { algorithm: 'md5', value: md5 } };
  if (adler !== undefined) return { bytes, checksum: { algorithm: 'adler32', value: adler } };
  return { bytes };
}
