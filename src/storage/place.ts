/** Type URI of managed storage that is a directory of the site. */
export const DIRECTORY_TYPE = 'https://www.purl.org/ivoa-net/storage-type/directory';
/** The draft's own spelling. */
export const S3_TYPE = 'https://www.purl.org/ivoa-net/storage-type/amazon-S3';

/**
 * An S3 service as a site file names it; `credentials` is the absolute path of a file,
 * without one requests are anonymous.
 */
export type S3Service = {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: string | undefined;
};

/** Where a site keeps managed storage. */
export type StoragePlace =
  | {
      readonly kind: 'directory';
      /** absolute */ readonly path: string;
      /** where clients reach it */ readonly endpoint: string | undefined;
    }
  | {
      readonly kind: 's3';
      readonly service: S3Service;
      readonly bucket: string;
      /** before every key */ readonly prefix: string;
    };

/** What offers print of a place: its type URI, and where clients reach it. */
export function printedPlace(place: StoragePlace): {
  readonly type: string;
  readonly endpoint: string | undefined;
} {
  switch (place.kind) {
    case 'directory':
      return { type: DIRECTORY_TYPE, endpoint: place.endpoint };
    case 's3':
      return {
        type: S3_TYPE,
        endpoint: `${place.service.endpoint.replace(/\/+$/, '')}/${place.bucket}`,
      };
    default:
      return place satisfies never;
  }
}

/**
 * An S3 service that jobs may read from. With credentials the site names the buckets, for
 * anybody may ask for any of them.
 */
export type S3Source = S3Service & {
  /** undefined: all */ readonly buckets: readonly string[] | undefined;
};

/**
 * A Rucio service that the site has a token for; `token` is the absolute path of the file
 * that has it. With it everything is read that the token opens, so the site names the
 * scopes that anybody may ask for.
 */
export type RucioService = {
  readonly endpoint: string;
  readonly token: string;
  readonly scopes: readonly string[];
};
