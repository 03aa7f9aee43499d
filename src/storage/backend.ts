import type { ObjectId } from '../words/ids.ts';
import type { Mebibytes } from '../words/units.ts';

/**
 * The contents are larger than the offered size. The tear-down fails and the stored contents stay.
 */
export class StorageFull extends Error {
  constructor(limit: Mebibytes) {
    super(`the volume holds more than the ${limit} MiB that were offered`);
    this.name = 'StorageFull';
  }
}

/**
 * A place for managed storage. Contents are copied into a volume before the run and back after it,
 * so every runner can use them. Every method is idempotent by object id, because an executor that
 * was killed repeats it.
 */
export type StorageBackend = {
  /**
   * Copies the stored contents, if any, into a directory.
   * @param signal ends what waits for another machine: nobody needs the contents any more
   * @throws Error if they cannot be read
   */
  readonly load: (object: ObjectId, directory: string, signal?: AbortSignal) => Promise<void>;
  /**
   * Makes the stored contents equal to a directory: regular files of `owner` and directories,
   * without links and devices.
   *
   * @param directory its real path: nothing is stored that a link leads to
   * @param owner the user of the job, if it had its own: a hard link to another user's file is not
   * stored
   * @throws StorageFull, or Error if it cannot be written; the stored contents stay then
   */
  readonly save: (
    object: ObjectId,
    directory: string,
    size: Mebibytes,
    owner: number | undefined,
  ) => Promise<void>;
  /** Deletes the object. */
  readonly release: (object: ObjectId) => Promise<void>;
};
