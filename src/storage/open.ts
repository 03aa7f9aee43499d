import { constants } from 'node:fs';
import { access, mkdir, stat } from 'node:fs/promises';
import { mustBeWritable } from '../places/writable.ts';
import type { UrlPolicy } from '../tasks/url-policy.ts';
import { CannotStart } from '../words/cannot-start.ts';
import type { StorageBackend } from './backend.ts';
import { openAccount } from './credentials.ts';
import { directoryBackend } from './directory.ts';
import type { RucioService, S3Source, StoragePlace } from './place.ts';
import { readRucioToken } from './rucio/replicas.ts';
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
 * @param missing what becomes of folders that are not there
 * @throws CannotStart if a directory or a file with credentials cannot be used
 */
export async function openStager(
  { storage, s3, rucio, fetch }: StagingSite,
  adapters: ReadonlyMap<string, StorageAdapter>,
  missing: 'made' | 'left' = 'made',
): Promise<Stager> {
  const folders = await missingFolders(storage);
  if (missing === 'made')
    for (const { path } of folders) await mkdir(path, { recursive: true, mode: 0o700 });
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

/**
 * Tests the folders of a site's storage; makes none.
 *
 * @returns those that are not there yet, with their places in the site file
 * @throws CannotStart if one cannot be used or made
 */
export async function missingFolders(
  storage: StagingSite['storage'],
): Promise<readonly { readonly path: string; readonly setting: string }[]> {
  const missing = await Promise.all(
    storage.map(async ({ place }, index) => {
      if (place.kind !== 'directory') return [];
      const folder = { path: place.path, setting: `storage[${index}].path` };
      return (await isUsable(folder)) ? [] : [folder];
    }),
  );
  return missing.flat();
}

/** @returns false if it is not there and can be made */
async function isUsable({ path, setting }: { path: string; setting: string }): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() !== true) {
    // Node's recursive mkdir never ends below a folder that takes none, such as /proc.
    mustBeWritable({ folder: path, setting });
    return false;
  }
  try {
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return true;
  } catch (error) {
    throw new CannotStart(`${setting} ${path} cannot be used: ${errorText(error)}`, {
      cause: error,
    });
  }
}

async function openBackend(place: StoragePlace): Promise<StorageBackend> {
  switch (place.kind) {
    case 'directory':
      return directoryBackend(place.path);
    case 's3':
      return s3Backend(await openAccount(place.service), place.bucket, place.prefix);
    default:
      return place satisfies never;
  }
}
