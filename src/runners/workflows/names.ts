import { posix } from 'node:path';

/**
 * Where the content of a URL is below the folder of a workflow: as its path has it, so that
 * relative references lead to the same files.
 */
export function localPath(url: string): string {
  const { pathname, search } = new URL(url);
  const parts = pathname.split('/').filter((part) => part !== '');
  const path = parts.map(safeName);
  const last = `${path.pop() ?? 'document'}${search.replaceAll(/[^\w.-]/g, '_')}`;
  return posix.join('workflow', ...path, cut(last));
}

/** The name of a file by its URL, or its path. */
export function localName(written: string): string {
  const path = URL.parse(written)?.pathname ?? written;
  return safeName(path.slice(path.lastIndexOf('/') + 1)) || 'file';
}

const LONGEST = 200;

/** A part of a URL's path as a name: never one that leads elsewhere. */
function safeName(part: string): string {
  let name = part;
  try {
    name = decodeURIComponent(part);
  } catch {
    // It stays as it is written.
  }
  return cut(name.includes('/') || name.includes('\0') || /^\.{1,2}$/.test(name) ? part : name);
}

/** File systems count the bytes of a name. */
function cut(name: string): string {
  let short = name.slice(-LONGEST);
  while (Buffer.byteLength(short) > LONGEST) short = short.slice(1);
  return short.toWellFormed();
}
