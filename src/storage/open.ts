import { constants } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import type { UrlPolicy } from '../tasks/url-policy.ts';
import { CannotStart } from '../words/cannot-start.ts';
import type { StorageBackend } from './backend.ts';
import { openAccount } from './credentials.ts';
import { directoryBackend } from './directory.ts';
import type { RucioService, S3Source, StoragePlace } from './place.ts';
import { readRucioToken } from './rucio.ts';
import { s3Backend, s3Client } from './s3.ts';
import { createStager, type Stager, type StorageAdapter } from './stager.ts';
import { errorText } from '../words/system-error.ts';

/** The parts of a site that decide where data comes from and goes to. */
type StagingSite = {
  readonly storage: readonly { readonly name: string; readonly place: StoragePlace }[];
  readonly s3: readonly S3Source[];
  readonly rucio: readonly RucioService[];
  readonly fetch: UrlPolicy;
};

/**
 * Reads every file with credentials that a site names; creates nothing.
 * @throws CannotStart if one cannot be used
 */
export async function checkCredentials({
  storage,
  s3,
  rucio,
}: Pick<StagingSite, 'storage' | 's3' | 'rucio'>): Promise<void> {
  const services = storage.flatMap(({ place }) => (place.kind === 's3' ? [place.service] : []));
  for (const service of [...services, ...s3]) await openAccount(service);
  for (const service of rucio) await readRucioToken(service);
}

/**
 * Opens a site's storage without a request to any server.
 *
 * @param adapters those of plug-ins, by name
 * @throws CannotStart if a directory or a file with credentials cannot be used
 */
export async function openStager(
  { storage, s3, rucio, fetch }: StagingSite,
  adapters: ReadonlyMap<string, StorageAdapter>,
): Promise<Stager> {
  const backends = await Promise.all(
    storage.map(async ({ name, place }) => [name, await openBackend(place)] as const),
  );
  const clients = await Promise.all(
    s3.map(async (source) => [source.endpoint, s3Client(await openAccount(source))] as const),
  );
  for (const service of rucio) await readRucioToken(service);
  return createStager({
    backends: new Map(backends),
    s3: new Map(clients),
    rucio,
    urls: fetch,
    adapters,
  });
}

async function openBackend(place: StoragePlace): Promise<StorageBackend> {
  switch (place.kind) {
    case 'directory':
      try {
        await mkdir(place.path, { recursive: true, mode: 0o700 });
        await access(place.path, constants.R_OK | constants.W_OK | constants.X_OK);
      } catch (error) {
        throw new CannotStart(
          `the storage directory ${place.path} cannot be used: ${errorText(error)}`,
          { cause: error },
        );
      }
      return directoryBackend(place.path);
    case 's3':
      return s3Backend(await openAccount(place.service), place.bucket, place.prefix);
    default:
      return place satisfies never;
  }
}
