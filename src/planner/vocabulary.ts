import type { ComputeTypes } from '../compute/registry.ts';
import type { S3Source } from '../storage/place.ts';
import type { StorageTypes } from '../storage/registry.ts';
import type { TaskTypes } from '../tasks/registry.ts';
import type { UrlPolicy } from '../tasks/url-policy.ts';
import type { ObjectId } from '../words/ids.ts';
import type { Mebibytes } from '../words/units.ts';

/** What a site understands: its types, the URLs and the S3 services that an ask may name. */
export type Vocabulary = {
  readonly taskTypes: TaskTypes;
  readonly computeTypes: ComputeTypes;
  readonly storageTypes: StorageTypes;
  readonly urls: UrlPolicy;
  readonly s3: readonly S3Source[];
  /** of an ephemeral storage item that names no size */
  readonly scratch: Mebibytes;
  /** a name for managed storage that there was never before */
  readonly newObject: () => ObjectId;
};
