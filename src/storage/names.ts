/** Bytes of a key of S3 (UTF-8). */
export const LONGEST_KEY = 1024;
/** Bytes of one step of a path that file systems allow. */
export const LONGEST_STEP = 255;

const IP = /^\d{1,3}(?:\.\d{1,3}){3}$/;
const BUCKET = /^[A-Za-z0-9][A-Za-z0-9._-]{2,254}$/;

/**
 * The rules of https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html, and
 * older names that servers still allow.
 */
export function isBucketName(text: string): boolean {
  return BUCKET.test(text) && !text.includes('..') && !IP.test(text);
}

/**
 * Does a name have a step `.` or `..`? A server or proxy may resolve it and send another object.
 */
export function hasDotStep(name: string): boolean {
  return name.split('/').some((step) => step === '.' || step === '..');
}

/** Does a path have a step that is too long for every file system? */
export function hasLongStep(path: string): boolean {
  return path.split('/').some((step) => Buffer.byteLength(step) > LONGEST_STEP);
}

/** The file name for data with this name, or `data` if it cannot be a file name. */
export function fileNameFor(name: string): string {
  return name === '' ||
    name === '.' ||
    name === '..' ||
    /[/\0]/.test(name) ||
    Buffer.byteLength(name) > LONGEST_STEP
    ? 'data'
    : name;
}
