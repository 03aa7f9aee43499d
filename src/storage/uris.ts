/** Type URIs of storage that lives as long as the job: ours, and those of the later drafts. */
export const EPHEMERAL_URIS: readonly string[] = [
  'https://www.purl.org/ivoa-net/storage-type/ephemeral',
  'https://www.purl.org/ivoa.net/storage-types/ephemeral-storage',
  'https://www.purl.org/ivoa.net/EB/schema/types/resources/storage/simple-storage-resource-1.0',
  'https://www.purl.org/ivoa.net/EB/schema/types/storage/simple-storage-resource-1.0',
  'https://www.purl.org/ivoa.net/EB/schema/v1.0/types/storage/simple-storage-resource-1.0',
  'uri:ephemeral-storage',
];

/** Type URIs of persistent storage. */
export const PERSISTENT_URIS: readonly string[] = [
  'https://www.purl.org/ivoa-net/storage-type/persistent',
  'https://www.purl.org/ivoa.net/storage-types/persistent-storage',
  'uri:persistent-storage',
];

/** Type URIs of data in a bucket. */
export const S3_URIS: readonly string[] = [
  'https://www.purl.org/ivoa-net/storage-type/amazon-S3',
  'https://www.purl.org/ivoa-net/storage-type/amazon-s3',
  'https://www.purl.org/ivoa.net/storage-types/amazon-s3',
  'https://www.purl.org/ivoa.net/EB/schema/types/resources/data/S3-data-resource-1.0',
  'https://www.purl.org/ivoa.net/EB/schema/types/data/S3-data-resource-1.0',
  'https://www.purl.org/ivoa.net/EB/schema/v1.0/types/data/S3-data-resource-1.0',
];

/** Type URIs of a file with a URL. */
export const HTTP_URIS: readonly string[] = [
  'https://www.purl.org/ivoa-net/storage-type/https',
  'https://www.purl.org/ivoa-net/storage-type/http',
  'https://www.purl.org/ivoa.net/EB/schema/types/resources/data/simple-data-resource-1.0',
  'https://www.purl.org/ivoa.net/EB/schema/types/data/simple-data-resource-1.0',
  'https://www.purl.org/ivoa.net/EB/schema/v1.0/types/data/simple-data-resource-1.0',
];

/** Type URIs of data with replicas in Rucio. */
export const RUCIO_URIS: readonly string[] = [
  'https://www.purl.org/ivoa-net/storage-type/rucio',
  'https://www.purl.org/ivoa.net/storage-types/rucio-storage',
  'https://www.purl.org/ivoa.net/EB/schema/types/resources/data/Rucio-data-resource-1.0',
  'https://www.purl.org/ivoa.net/EB/schema/types/data/rucio-data-resource-1.0',
  'https://www.purl.org/ivoa.net/EB/schema/v1.0/types/data/rucio-data-resource-1.0',
  'uri:rucio-storage',
];

/** URIs that plug-ins may not use. */
export const BUILT_IN_STORAGE_URIS: readonly string[] = [
  ...EPHEMERAL_URIS,
  ...PERSISTENT_URIS,
  ...S3_URIS,
  ...HTTP_URIS,
  ...RUCIO_URIS,
];
