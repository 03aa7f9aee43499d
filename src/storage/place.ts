/** Type URI of managed storage that is a directory of the site. */
export const DIRECTORY_TYPE = 'https://www.purl.org/ivoa-net/storage-type/directory';
/** The draft's own spelling. */
export const S3_TYPE = 'https://www.purl.org/ivoa-net/storage-type/amazon-S3';

/**
 * An S3 service of a site file. `credentials` is the absolute path of a file; without it requests
 * are anonymous.
 */
export type S3Service = {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: string | undefined;
};

/** A site's place for managed storage. */
export type StoragePlace =
  | {
      readonly kind: 'directory';
      /** absolute */ readonly path: string;
      /** URL for clients */ readonly endpoint: string | undefined;
    }
  | {
      readonly kind: 's3';
      readonly service: S3Service;
      readonly bucket: string;
      /** before every key */ readonly prefix: string;
    };

/** A place as offers print it: type URI, and URL for clients. */
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
 * An S3 service that jobs may read from. If it has credentials, the site names the buckets, because
 * anybody may ask for their contents.
 */
export type S3Source = S3Service & {
  /** undefined: all */ readonly buckets: readonly string[] | undefined;
};

/**
 * A Rucio service for which the site has a token; `token` is the absolute path of its file. The
 * token may open more than anybody should read, so the site names the scopes that everybody may
 * read.
 */
export type RucioService = {
  readonly endpoint: string;
  readonly token: string;
  readonly scopes: readonly string[];
};
