import { createHash } from 'node:crypto';
import { adler32 } from './adler32.ts';
import type { ChecksumName, ExpectedFile } from './checksums.ts';

/** Holds a file against what it must be, while it comes. */
export function checkFile({ bytes, checksum }: ExpectedFile) {
  let length = 0;
  const sum = checksum && SUMS[checksum.algorithm]();
  return {
    see: (piece: Buffer): void => {
      length += piece.length;
      sum?.update(piece);
    },
    /** in which it differs; undefined when it is the file. Asked once */
    difference: (): string | undefined => {
      if (bytes !== undefined && length !== bytes)
        return `it has ${length} bytes instead of ${bytes}`;
      return checksum === undefined || sum?.digest() === checksum.value
        ? undefined
        : `its ${NAMES[checksum.algorithm]} is another`;
    },
  };
}

type Sum = { readonly update: (piece: Buffer) => void; readonly digest: () => string };

const SUMS: Readonly<Record<ChecksumName, () => Sum>> = {
  md5: () => hashed('md5'),
  sha256: () => hashed('sha256'),
  adler32,
};

const NAMES: Readonly<Record<ChecksumName, string>> = {
  md5: 'MD5',
  sha256: 'SHA-256',
  adler32: 'Adler-32',
};

function hashed(algorithm: 'md5' | 'sha256'): Sum {
  const hash = createHash(algorithm);
  return { update: (piece) => void hash.update(piece), digest: () => hash.digest('hex') };
}
