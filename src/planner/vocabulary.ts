import type { ComputeTypes } from '../compute/registry.ts';
import type { S3Source } from '../storage/place.ts';
import type { StorageTypes } from '../storage/registry.ts';
import type { KnownSources } from '../sources/known.ts';
import type { TaskTypes } from '../tasks/registry.ts';
import type { UrlPolicy } from '../tasks/url-policy.ts';
import type { ObjectId } from '../words/ids.ts';
import type { Mebibytes } from '../words/units.ts';

/** What an ask may name at a site: types, URLs and S3 services. */
export type Vocabulary = {
  readonly taskTypes: TaskTypes;
  readonly computeTypes: ComputeTypes;
  readonly storageTypes: StorageTypes;
  readonly urls: UrlPolicy;
  /** what URLs hold; absent: nobody has read any */
  readonly sources?: KnownSources;
  readonly s3: readonly S3Source[];
  /** size of an ephemeral storage item that names none */
  readonly scratch: Mebibytes;
  /** a new name for managed storage */
  readonly newObject: () => ObjectId;
};
