import type { ObjectId } from '../words/ids.ts';
import type { Mebibytes } from '../words/units.ts';

/**
 * Contents that are larger than what was offered; the tear-down fails
 * and what was stored before stays.
 */
export class StorageFull extends Error {
  constructor(limit: Mebibytes) {
    super(`the volume holds more than the ${limit} MiB that were offered`);
    this.name = 'StorageFull';
  }
}

/**
 * Where managed storage really is. Its contents are copied into a volume before the run and back
 * after it, so that it works alike for every runner. Every method is idempotent by object id: an
 * executor that was killed does it again.
 */
export type StorageBackend = {
  /** type URI that offers print */
  readonly type: string;
  /** where clients reach it; undefined when they cannot */
  readonly endpoint: string | undefined;
  /**
   * Copies what is stored into a directory, nothing when nothing is.
   * @throws Error when it cannot be read
   */
  readonly load: (object: ObjectId, directory: string) => Promise<void>;
  /**
   * Makes what is stored equal to a directory: regular files of `owner` and directories;
   * links and devices are left out.
   *
   * @param owner user whose files they must be, when the job had a user of its own: a hard
   * link to another's file is not his
   * @throws StorageFull, or Error when it cannot be written; then what was stored before stays
   */
  readonly save: (
    object: ObjectId,
    directory: string,
    size: Mebibytes,
    owner: number | undefined,
  ) => Promise<void>;
  /** Removes it for good. */
  readonly release: (object: ObjectId) => Promise<void>;
};
