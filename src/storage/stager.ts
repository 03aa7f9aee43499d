import { join } from 'node:path';
import type { S3Client } from '@aws-sdk/client-s3';
import { FetchFailure } from '../fetch/failure.ts';
import type { UrlPolicy } from '../tasks/url-policy.ts';
import type { ObjectId } from '../words/ids.ts';
import { StorageFull, type StorageBackend } from './backend.ts';
import type { Content, ExternalSource } from './content.ts';
import { noFileBelow, nothingBelow, StagingFailure, tooLarge } from './failure.ts';
import { downloadFile } from './http.ts';
import { fileNameFor } from './names.ts';
import type { RucioService } from './place.ts';
import { downloadRucio } from './rucio/download.ts';
import { downloadAll, bytesBelow } from './s3.ts';
import { download, type CopyTerms } from './s3-download.ts';
import { s3FailureOf } from './s3-failure.ts';
import { filesBelow } from './tree.ts';
import { errorText } from '../words/system-error.ts';

/** How a plug-in moves the data of its storage type. */
export type StorageAdapter = {
  readonly load: (transfer: Transfer) => Promise<void>;
  readonly save?: (transfer: Transfer) => Promise<void>;
};
type Transfer = {
  readonly spec: Readonly<Record<string, unknown>>;
  readonly directory: string;
  readonly limit: number;
  readonly signal?: AbortSignal | undefined;
};

/** Moves the contents of volumes. Every method throws StagingFailure. */
export type Stager = {
  /**
   * Fills a directory.
   * @param limit bytes
   * @param signal ends it early: nobody waits for it any more
   * @returns bytes in the directory
   */
  readonly load: (
    content: Content,
    directory: string,
    limit: number,
    signal?: AbortSignal,
  ) => Promise<number>;
  /**
   * Stores a directory after the run.
   * @param directory its real path
   * @param owner the user whose files are stored, if the job had its own
   */
  readonly save: (content: Content, directory: string, owner: number | undefined) => Promise<void>;
  /** Deletes an object. */
  readonly release: (backend: string, object: ObjectId) => Promise<void>;
};

/**
 * The parts of a stager: stores by name, S3 clients by endpoint, Rucio services with a token,
 * plug-ins by name.
 */
type StagingParts = {
  readonly backends: ReadonlyMap<string, StorageBackend>;
  readonly s3: ReadonlyMap<string, S3Client>;
  readonly rucio?: readonly RucioService[];
  readonly urls: UrlPolicy;
  readonly adapters: ReadonlyMap<string, StorageAdapter>;
};

/** See {@link Stager}. */
export function createStager({ backends, s3, rucio = [], urls, adapters }: StagingParts): Stager {
  const backendOf = (name: string): StorageBackend =>
    needed(backends.get(name), `the storage '${name}'`);

  const loadExternal = async (
    source: ExternalSource,
    name: string,
    directory: string,
    { most: limit, signal }: CopyTerms,
  ): Promise<void> => {
    switch (source.kind) {
      case 's3':
        return loadS3(needed(s3.get(source.endpoint), source.endpoint), source, name, directory, {
          most: limit,
          signal,
        });
      case 'http':
        return downloadFile(source, directory, { urls, most: limit, signal });
      case 'rucio':
        return downloadRucio(source, directory, { urls, services: rucio, most: limit, signal });
      case 'plugin':
        return needed(adapters.get(source.name), `the plug-in ${source.name}`).load({
          spec: source.spec,
          directory,
          limit,
          signal,
        });
      default:
        return source satisfies never;
    }
  };

  return {
    load: async (content, directory, limit, signal) => {
      try {
        if (content.kind === 'managed')
          await backendOf(content.backend).load(content.object, directory, signal);
        else await loadExternal(content.source, content.name, directory, { most: limit, signal });
        const bytes = await sizeBelow(directory);
        if (bytes > limit) throw tooLarge(content.name, limit);
        return bytes;
      } catch (error) {
        throw failureOf(error, content.name, 'storage-load-failed', limit);
      }
    },
    save: async (content, directory, owner) => {
      try {
        if (content.kind === 'managed')
          await backendOf(content.backend).save(content.object, directory, content.size, owner);
        else if (content.source.kind === 'plugin')
          await adapters
            .get(content.source.name)
            ?.save?.({ spec: content.source.spec, directory, limit: 0 });
      } catch (error) {
        throw failureOf(error, content.name, 'storage-save-failed', 0);
      }
    },
    release: (backend, object) => backendOf(backend).release(object),
  };
}

function needed<Value>(value: Value | undefined, what: string): Value {
  if (value !== undefined) return value;
  throw new StagingFailure('runner-failed', `${what} is not in the site file of this executor`);
}

async function loadS3(
  client: S3Client,
  { bucket, what }: Extract<ExternalSource, { kind: 's3' }>,
  name: string,
  directory: string,
  terms: CopyTerms,
): Promise<void> {
  const object = 'object' in what ? what.object : undefined;
  try {
    const { objects, bytes } = await bytesBelow(client, bucket, what, terms);
    if (bytes > terms.most) throw tooLarge(name, terms.most);
    // A misspelt prefix would be a task without data. A bucket without any object may be intended.
    if (objects === 0 && 'prefix' in what && what.prefix !== '')
      throw nothingBelow(name, bucket, what.prefix);
    if ('prefix' in what) {
      const { copied, leftOut } = await downloadAll(client, bucket, what.prefix, directory, terms);
      if (copied === 0 && leftOut > 0) throw noFileBelow(name, bucket, what.prefix);
    } else
      await download(
        client,
        { bucket, key: what.object, ours: false },
        join(directory, fileNameFor(what.object.split('/').findLast((step) => step !== '') ?? '')),
        terms,
      );
  } catch (error) {
    throw s3FailureOf(error, name, bucket, object);
  }
}

async function sizeBelow(directory: string): Promise<number> {
  let bytes = 0;
  for await (const { size } of filesBelow(directory)) bytes += size;
  return bytes;
}

function failureOf(
  error: unknown,
  name: string,
  code: 'storage-load-failed' | 'storage-save-failed',
  limit: number,
): StagingFailure {
  if (error instanceof StagingFailure) return error;
  if (error instanceof StorageFull)
    return new StagingFailure('storage-full', `${name}: ${error.message}`);
  if (error instanceof FetchFailure && error.code === 'fetch-too-large')
    return tooLarge(name, limit);
  if (error instanceof FetchFailure)
    return new StagingFailure(error.code, `${name}: ${error.message}`, error.transient);
  return new StagingFailure(code, `the volume ${name}: ${errorText(error)}`, true, {
    cause: error,
  });
}
