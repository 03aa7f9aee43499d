import { readFile } from 'node:fs/promises';
import { isRecord } from '../../words/record.ts';
import { errorCode } from '../../words/system-error.ts';
import { JobFailure } from '../../words/job-failure.ts';

/**
 * The header with the credentials of one registry, from a `config.json` as `docker login` and
 * `podman login` write it. It reads the file each time, so that tokens can be renewed.
 *
 * @param file undefined: the site has none
 * @returns no header when the file has nothing for this registry
 */
export async function authHeader(
  file: string | undefined,
  registry: string,
): Promise<Readonly<Record<string, string>>> {
  if (file === undefined) return {};
  try {
    const entry = entryOf(JSON.parse(await readFile(file, 'utf8')), registry);
    if (!isRecord(entry) || typeof entry['auth'] !== 'string') return {};
    const text = Buffer.from(entry['auth'], 'base64').toString('utf8');
    const colon = text.indexOf(':');
    const credentials = {
      username: text.slice(0, colon),
      password: text.slice(colon + 1),
      serveraddress: registry,
    };
    // Engines expect base64url with padding; Node writes base64url without it.
    return {
      'x-registry-auth': Buffer.from(JSON.stringify(credentials))
        .toString('base64')
        .replaceAll('+', '-')
        .replaceAll('/', '_'),
    };
  } catch (error) {
    // The parser's message repeats what it read.
    throw new JobFailure(
      'runner-failed',
      `the site's credentials of registries cannot be read: ${errorCode(error) ?? 'they are no JSON'}`,
    );
  }
}

function entryOf(value: unknown, registry: string): unknown {
  const auths = isRecord(value) ? value['auths'] : undefined;
  return isRecord(auths) ? (auths[registry] ?? auths[`https://${registry}`]) : undefined;
}
