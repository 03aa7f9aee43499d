import { raise } from '../../errors.ts';
import { tick } from '../../meter.ts';
import { repr } from '../../text/repr.ts';
import { isIpv4, mayBeBracketed } from './address.ts';
import { urlOfParts, usesNetloc } from './results.ts';
import type { UrlParts } from './results.ts';

const USES_RELATIVE = new Set(
  ' ftp http gopher nntp imap wais file https shttp mms prospero rtsp rtsps rtspu sftp svn svn+ssh ws wss'.split(
    ' ',
  ),
);
const USES_PARAMS = new Set(
  ' ftp hdl prospero http imap https shttp rtsp rtsps rtspu sip sips mms sftp tel'.split(' '),
);
const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*(?=:)/;

/**
 * The parts of a URL, without `params`.
 * @throws ValueError for brackets around something other than a host
 */
export function splitUrl(given: string, scheme: string, hasFragments: boolean): UrlParts {
  tick(given.length >> 3);
  const clean = (text: string): string => text.replaceAll(/[\t\r\n]/g, '');
  let rest = clean(given.replace(/^[\0-\x20]+/, ''));
  const [own] = SCHEME.exec(rest) ?? [];
  if (own !== undefined) rest = rest.slice(own.length + 1);
  let netloc = '';
  if (rest.startsWith('//')) {
    const end = rest.slice(2).search(/[/?#]/);
    netloc = end < 0 ? rest.slice(2) : rest.slice(2, end + 2);
    rest = rest.slice(2 + netloc.length);
    checkBrackets(netloc);
  }
  const [before, fragment] = hasFragments ? cutAt(rest, rest.indexOf('#')) : [rest, ''];
  const [path, query] = cutAt(before, before.indexOf('?'));
  checkCompatible(netloc);
  const absent = clean(scheme.replaceAll(/^[\0-\x20]+|[\0-\x20]+$/g, ''));
  return { scheme: own?.toLowerCase() ?? absent, netloc, path, params: '', query, fragment };
}

/** The six parts of a URL. @throws ValueError as `splitUrl` */
export function parseUrl(given: string, scheme: string, hasFragments: boolean): UrlParts {
  const parts = splitUrl(given, scheme, hasFragments);
  if (!USES_PARAMS.has(parts.scheme) || !parts.path.includes(';')) return parts;
  const [path, params] = cutAt(
    parts.path,
    parts.path.indexOf(';', Math.max(0, parts.path.lastIndexOf('/'))),
  );
  return { ...parts, path, params };
}

/** `urljoin`: a URL relative to another. @throws ValueError as `splitUrl` */
export function joinUrls(base: string, url: string, hasFragments: boolean): string {
  if (base === '') return url;
  if (url === '') return base;
  const from = parseUrl(base, '', hasFragments);
  const to = parseUrl(url, from.scheme, hasFragments);
  if (to.scheme !== from.scheme || !USES_RELATIVE.has(to.scheme)) return url;
  const hasHost = usesNetloc(to.scheme);
  if (hasHost && to.netloc !== '') return urlOfParts(to);
  const netloc = hasHost ? from.netloc : to.netloc;
  if (to.path === '' && to.params === '')
    return urlOfParts({
      ...to,
      netloc,
      path: from.path,
      params: from.params,
      query: to.query === '' ? from.query : to.query,
    });
  return urlOfParts({ ...to, netloc, path: resolved(from.path, to.path) });
}

function checkBrackets(netloc: string): void {
  const [opens, closes] = [netloc.includes('['), netloc.includes(']')];
  if (opens !== closes) raise('ValueError', 'Invalid IPv6 URL');
  if (!opens) return;
  const [host = ''] = netloc.slice(netloc.indexOf('[') + 1).split(']');
  if (isIpv4(host)) raise('ValueError', 'An IPv4 address cannot be in brackets');
  if (!mayBeBracketed(host))
    raise('ValueError', `${repr(host)} does not appear to be an IPv4 or IPv6 address`);
}

function cutAt(text: string, at: number): readonly [string, string] {
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

/** Some characters become `/` and the like when a host name is normalised. @throws ValueError */
function checkCompatible(netloc: string): void {
  const rest = netloc.replaceAll(/[@:#?]/g, '');
  const looked = rest.normalize('NFKC');
  if (looked !== rest && /[/?#@:]/.test(looked))
    raise('ValueError', `netloc '${netloc}' contains invalid characters under NFKC normalization`);
}

/** The path that a relative path leads to (RFC 3986, 5.2.4). */
function resolved(base: string, path: string): string {
  const segments = path.startsWith('/')
    ? path.split('/')
    : joined(base.split('/'), path.split('/'));
  tick(segments.length);
  const kept: string[] = [];
  for (const segment of segments) {
    if (segment === '..') kept.pop();
    else if (segment !== '.') kept.push(segment);
  }
  if (segments.at(-1) === '.' || segments.at(-1) === '..') kept.push('');
  const whole = kept.join('/');
  return whole === '' ? '/' : whole;
}

function joined(base: readonly string[], path: readonly string[]): readonly string[] {
  const all = [...(base.at(-1) === '' ? base : base.slice(0, -1)), ...path];
  return [
    ...all.slice(0, 1),
    ...all.slice(1, -1).filter((segment) => segment !== ''),
    ...all.slice(Math.max(1, all.length - 1)),
  ];
}
