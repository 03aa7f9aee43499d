import { parseArchitecture, type Architecture } from '../../compute/arch.ts';
import { pullReference, type ImageSource, type RegistryImage } from '../../tasks/image.ts';
import { shown } from '../../tasks/task.ts';
import type { UrlPolicy } from '../../tasks/url-policy.ts';
import { isRecord } from '../../words/record.ts';
import { EngineRefusal, isMissing, type EngineApi } from './api/client.ts';
import { loadArchive } from './api/archive.ts';
import { JobFailure } from '../../words/job-failure.ts';
import { progressOf } from './api/progress.ts';
import { authHeader } from './registry-auth.ts';
import type { ContainerSettings } from './settings.ts';

/** An image that the engine has. */
type Image = {
  /** the image is run by its id, because a name may mean another image in the next moment */
  readonly id: string;
  readonly digests: readonly string[];
  readonly architecture: string;
  /** paths that it declares to be volumes */
  readonly volumes: readonly string[];
};

const REFUSED = /unauthorized|denied|authentication|forbidden|credentials/i;
const UNKNOWN = /manifest unknown|not found|name unknown|no matching manifest/i;

/**
 * Archives are loaded one after the other: two that contain the same name must not get each other's
 * image.
 */
let loading: Promise<unknown> = Promise.resolve();

/**
 * Brings an image to the engine, and checks that it is the one that was asked for.
 *
 * @param architectures for which it may be; empty: any that the engine runs
 * @throws JobFailure, or an error of the connection to the engine
 */
export async function obtainImage(
  api: EngineApi,
  source: ImageSource,
  architectures: readonly Architecture[],
  settings: ContainerSettings,
  urls: UrlPolicy,
  signal: AbortSignal,
): Promise<Image> {
  const limit = AbortSignal.timeout(settings.pullLimit * 1000);
  const image = await fetchImage(
    api,
    source,
    settings,
    urls,
    AbortSignal.any([signal, limit]),
  ).catch((error: unknown) => {
    if (limit.aborted)
      throw new JobFailure(
        'fetch-timeout',
        `the image was not there within ${settings.pullLimit} s`,
        true,
      );
    throw error;
  });
  if (image === undefined)
    throw new JobFailure('fetch-failed', 'the engine has no such image after it was fetched', true);
  if (
    source.digest !== undefined &&
    source.digest !== image.id &&
    !image.digests.includes(source.digest)
  ) {
    throw new JobFailure(
      'image-mismatch',
      `the digest of the image is ${image.digests.join(', ') || image.id}, and not ${source.digest}`,
    );
  }
  const architecture = parseArchitecture(image.architecture);
  if (
    architectures.length > 0 &&
    (architecture === undefined || !architectures.includes(architecture))
  ) {
    throw new JobFailure(
      'image-mismatch',
      `the image is for ${image.architecture || 'no architecture'}, and not for ${architectures.join(' or ')}`,
    );
  }
  return image;
}

async function fetchImage(
  api: EngineApi,
  source: ImageSource,
  settings: ContainerSettings,
  urls: UrlPolicy,
  signal: AbortSignal,
): Promise<Image | undefined> {
  switch (source.kind) {
    case 'archive':
      return loadInTurn(async () =>
        inspectImage(
          api,
          await loadArchive(api, source.url, urls, settings.pullLimit * 1000, signal),
        ),
      );
    case 'registry': {
      const name = pullReference(source);
      const known =
        source.digest !== undefined || settings.pull === 'missing'
          ? await inspectImage(api, name)
          : undefined;
      if (known !== undefined) return known;
      await pull(api, source, settings, signal);
      return inspectImage(api, name);
    }
    default:
      return source satisfies never;
  }
}

function loadInTurn(load: () => Promise<Image | undefined>): Promise<Image | undefined> {
  const mine = loading.then(load, load);
  loading = mine.catch(() => undefined);
  return mine;
}

async function inspectImage(api: EngineApi, name: string): Promise<Image | undefined> {
  try {
    const found = await api.call({ method: 'GET', path: `/images/${name}/json` });
    if (!isRecord(found) || typeof found['Id'] !== 'string')
      throw new Error('the engine says of an image what cannot be read');
    const { Id: id, RepoDigests, Architecture: architecture, Config } = found;
    const volumes =
      isRecord(Config) && isRecord(Config['Volumes']) ? Object.keys(Config['Volumes']) : [];
    return {
      id,
      digests: texts(RepoDigests).map((text) => text.slice(text.indexOf('@') + 1)),
      architecture: typeof architecture === 'string' ? architecture : '',
      volumes,
    };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

async function pull(
  api: EngineApi,
  image: RegistryImage,
  { auth, pullLimit }: ContainerSettings,
  signal: AbortSignal,
): Promise<void> {
  const reference = pullReference(image);
  try {
    const { error } = await progressOf(
      await api.open({
        method: 'POST',
        path: '/images/create',
        query: { fromImage: reference },
        headers: await authHeader(auth, image),
        patience: pullLimit * 1000,
        signal,
      }),
    );
    if (error !== undefined) throw pullFailure(reference, error);
  } catch (error) {
    if (error instanceof EngineRefusal) throw pullFailure(reference, error.message);
    throw error;
  }
}

function pullFailure(reference: string, text: string): JobFailure {
  return new JobFailure(
    'fetch-failed',
    `the image ${reference} could not be pulled: ${shown(text)}`,
    !REFUSED.test(text) && !UNKNOWN.test(text),
  );
}
