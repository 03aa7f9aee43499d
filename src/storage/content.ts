import type { ObjectId } from '../words/ids.ts';
import type { Mebibytes } from '../words/units.ts';
import type { ExpectedFile } from './check/checksums.ts';

/** External data (2023 draft), copied into a volume before the run. */
export type ExternalSource =
  /** everything in a bucket, below a prefix, or one object */
  | {
      readonly kind: 's3';
      readonly endpoint: string;
      readonly bucket: string;
      readonly what: { readonly prefix: string } | { readonly object: string };
    }
  | {
      readonly kind: 'http';
      readonly location: string;
      readonly expected?: ExpectedFile | undefined;
    }
  | {
      readonly kind: 'rucio';
      readonly endpoint: string;
      readonly scope: string;
      readonly object: string;
    }
  /** of a type that a plug-in adds */
  | {
      readonly kind: 'plugin';
      readonly name: string;
      readonly spec: Readonly<Record<string, unknown>>;
    };

/**
 * The contents of a volume before the run, and for managed storage after it, too; the volume has
 * the same name.
 */
export type Content =
  | {
      readonly kind: 'managed';
      readonly name: string;
      readonly backend: string;
      readonly object: ObjectId;
      readonly size: Mebibytes;
    }
  | { readonly kind: 'external'; readonly name: string; readonly source: ExternalSource };
