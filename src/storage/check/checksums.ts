/** Algorithms of checksums that files are held against. */
export const CHECKSUMS = ['md5', 'sha256', 'adler32'] as const;
export type ChecksumName = (typeof CHECKSUMS)[number];

/** What a file from elsewhere must be; it is held against this while it comes. */
export type ExpectedFile = {
  readonly bytes?: number | undefined;
  readonly checksum?: { readonly algorithm: ChecksumName; readonly value: string } | undefined;
};

/** Is this a checksum in hexadecimal, in lower case? */
export function isChecksum(algorithm: ChecksumName, value: string): boolean {
  return /^[0-9a-f]+$/.test(value) && value.length === DIGITS[algorithm];
}

const DIGITS: Readonly<Record<ChecksumName, number>> = { md5: 32, sha256: 64, adler32: 8 };
