import ipaddr from 'ipaddr.js';
import { posix } from 'node:path';
import { hostOf, isPublicAddress, portOf } from '../fetch/addresses.ts';

/** What a worker may fetch for clients of the site. */
export type UrlPolicy = {
  /** hosts that may have private addresses: `host` or `host:port`, as in the URL */
  readonly allowHosts: readonly string[];
  /** absolute directories below which `file:` URLs may point */
  readonly fileRoots: readonly string[];
  /**
   * registries of container images, `host` or `host:port` with an optional path prefix; absent:
   * none
   */
  readonly registries?: readonly string[];
};

/** An allowed URL, or why it is not allowed. */
type CheckedUrl =
  | { readonly ok: true; readonly url: URL }
  | {
      readonly ok: false;
      readonly code: 'url-forbidden' | 'url-invalid';
      readonly text: string;
      readonly limit?: string;
    };

const LONGEST_URL = 2000;

/** Did the site name this host (or host and port) as one that may have any address? */
export function isAllowedHost(url: URL, policy: UrlPolicy): boolean {
  const host = hostOf(url);
  const names = new Set([host, `${host}:${portOf(url)}`, `[${host}]`, `[${host}]:${portOf(url)}`]);
  return policy.allowHosts.some((allowed) => names.has(allowed.toLowerCase()));
}

/**
 * The path of a `file:` URL, decoded and normalised; undefined if it cannot be a path of this
 * machine.
 */
export function filePath(url: URL): string | undefined {
  if (url.hostname !== '') return undefined;
  try {
    const path = posix.normalize(decodeURIComponent(url.pathname));
    return path.includes('\0') ? undefined : path;
  } catch {
    return undefined;
  }
}

/** Is `path` (absolute, normalised) strictly below one of `roots`? */
export function isBelowPath(path: string, roots: readonly string[]): boolean {
  return roots.some((root) => {
    const prefix = `${posix.normalize(root).replace(/\/+$/, '')}/`;
    return path.startsWith(prefix) && path.length > prefix.length;
  });
}

/**
 * Checks the part of the policy that needs no DNS; the worker checks the resolved address and the
 * real path before it reads a byte (src/runners/run/fetch-source.ts).
 *
 * The WHATWG parser has already turned `0x7f.1`, `2130706433` and full-width digits into dotted
 * addresses.
 */
export function checkUrl(text: string, policy: UrlPolicy): CheckedUrl {
  const url = text.length > LONGEST_URL ? undefined : URL.parse(text);
  if (url === null) return { ok: false, code: 'url-invalid', text: 'this is not an absolute URL' };
  // Percent-encoding may make a URL up to nine times longer.
  if (url === undefined || url.href.length > LONGEST_URL) {
    return {
      ok: false,
      code: 'url-invalid',
      text: 'the URL is too long',
      limit: `${LONGEST_URL} characters`,
    };
  }
  if (url.username !== '' || url.password !== '') {
    return forbidden('the URL carries credentials, which logs and job records would show');
  }
  switch (url.protocol) {
    case 'file:':
      return checkFile(url, policy);
    case 'http:':
    case 'https:':
      return checkHost(url, policy);
    default:
      return forbidden(`the scheme ${url.protocol} is not fetched`, 'https:, http:, file:');
  }
}

function forbidden(text: string, limit?: string): CheckedUrl {
  return limit === undefined
    ? { ok: false, code: 'url-forbidden', text }
    : { ok: false, code: 'url-forbidden', text, limit };
}

function checkFile(url: URL, policy: UrlPolicy): CheckedUrl {
  const path = filePath(url);
  if (path === undefined)
    return { ok: false, code: 'url-invalid', text: 'this file: URL does not name a local path' };
  if (isBelowPath(path, policy.fileRoots)) return { ok: true, url };
  if (policy.fileRoots.length === 0) return forbidden('this site does not fetch file: URLs');
  return forbidden(
    'this file is outside the directories that the site lends',
    policy.fileRoots.join(', '),
  );
}

function checkHost(url: URL, policy: UrlPolicy): CheckedUrl {
  const host = hostOf(url);
  if (host === '') return { ok: false, code: 'url-invalid', text: 'the URL has no host' };
  if (isAllowedHost(url, policy)) return { ok: true, url };
  if (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    (ipaddr.isValid(host) && !isPublicAddress(host))
  ) {
    return forbidden(
      `${host} is a private or reserved address; only hosts of the public Internet are fetched`,
    );
  }
  return { ok: true, url };
}
