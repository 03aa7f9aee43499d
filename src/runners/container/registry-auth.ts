import { readFile } from 'node:fs/promises';
import { imageName, type RegistryImage } from '../../tasks/image.ts';
import { isRecord } from '../../words/record.ts';
import { errorCode } from '../../words/system-error.ts';
import { JobFailure } from '../../words/job-failure.ts';

/**
 * The header with the credentials for one image, from a `config.json` as `docker login` and
 * `podman login` write it. It reads the file each time, so that tokens can be renewed.
 *
 * @param file undefined: the site has none
 * @returns no header when the file has nothing for this registry
 * @throws JobFailure when the file cannot be read, or another program has the password
 */
export async function authHeader(
  file: string | undefined,
  image: Pick<RegistryImage, 'registry' | 'repository'>,
): Promise<Readonly<Record<string, string>>> {
  if (file === undefined) return {};
  const entry = entryOf(await readAuths(file), imageName(image));
  if (entry === undefined) return {};
  const { auth, identitytoken } = isRecord(entry) ? entry : {};
  if (typeof auth !== 'string')
    throw unreadable(`no password for ${image.registry} is in the file, but perhaps in a helper`);
  const text = Buffer.from(auth, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  const credentials = {
    username: text.slice(0, colon),
    password: text.slice(colon + 1),
    serveraddress: image.registry,
    ...(typeof identitytoken === 'string' && { identitytoken }),
  };
  // Engines expect base64url with padding; Node writes base64url without it.
  return {
    'x-registry-auth': Buffer.from(JSON.stringify(credentials))
      .toString('base64')
      .replaceAll('+', '-')
      .replaceAll('/', '_'),
  };
}

async function readAuths(file: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'));
    return isRecord(value) && isRecord(value['auths']) ? value['auths'] : {};
  } catch (error) {
    // The parser's message repeats what it read.
    throw unreadable(errorCode(error) ?? 'they are no JSON');
  }
}

function unreadable(why: string): JobFailure {
  return new JobFailure(
    'runner-failed',
    `the site's credentials of registries cannot be read: ${why}`,
  );
}

/** Podman keeps credentials for a part of a registry, too: the longest name counts. */
function entryOf(auths: Readonly<Record<string, unknown>>, image: string): unknown {
  const [best] = Object.entries(auths)
    .map(([key, entry]) => ({ place: placeOf(key), entry }))
    .filter(({ place }) => `${image}/`.startsWith(`${place}/`))
    .toSorted((one, other) => other.place.length - one.place.length);
  return best?.entry;
}

/** What a key names. Docker writes `https://index.docker.io/v1/` for docker.io. */
function placeOf(key: string): string {
  return key
    .replace(/^https?:\/\//, '')
    .replace(/\/(?:v[12]\/?)?$/, '')
    .replace(/^(?:index|registry-1)\.docker\.io(?=\/|$)/, 'docker.io');
}
