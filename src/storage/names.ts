/** Bytes of a key of S3 (UTF-8). */
export const LONGEST_KEY = 1024;
/** Bytes of one step of a path: what file systems take. */
export const LONGEST_STEP = 255;

const IP = /^\d{1,3}(?:\.\d{1,3}){3}$/;
const BUCKET = /^[A-Za-z0-9][A-Za-z0-9._-]{2,254}$/;

/**
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html, and
 * what older servers allow besides.
 */
export function isBucketName(text: string): boolean {
  return BUCKET.test(text) && !text.includes('..') && !IP.test(text);
}

/**
 * Has a name a step that a server or a proxy on the way may fold, so that another
 * one is read than was asked for?
 */
export function hasDotStep(name: string): boolean {
  return name.split('/').some((step) => step === '.' || step === '..');
}

/** Can a step of a path be none of any file system, however the rest of it is? */
export function hasLongStep(path: string): boolean {
  return path.split('/').some((step) => Buffer.byteLength(step) > LONGEST_STEP);
}

/**
 * A file for data that is called so elsewhere: its name, or `data` where that is none of a file.
 */
export function fileNameFor(name: string): string {
  return name === '' ||
    name === '.' ||
    name === '..' ||
    /[/\0]/.test(name) ||
    Buffer.byteLength(name) > LONGEST_STEP
    ? 'data'
    : name;
}
