import { raise } from '../../errors.ts';
import { defineGetters, defineMethods } from '../../objects/classes/native.ts';
import type { Value } from '../../objects/object.ts';
import type { PyClass } from '../../objects/class.ts';
import { PyTuple } from '../../objects/collections/tuple.ts';
import { str } from '../../text/repr.ts';
import { namedTupleClass } from '../namedtuple.ts';

/** The six parts of a URL; a result with five has no `params`. */
export type UrlParts = {
  readonly scheme: string;
  readonly netloc: string;
  readonly path: string;
  readonly params: string;
  readonly query: string;
  readonly fragment: string;
};

const USES_NETLOC = new Set(
  (
    ' ftp http gopher nntp telnet imap wais file mms https shttp snews prospero rtsp rtsps ' +
    'rtspu rsync svn svn+ssh sftp nfs git git+ssh ws wss'
  ).split(' '),
);

/** Whether URLs of a scheme have a host after `//`. */
export function usesNetloc(scheme: string): boolean {
  return USES_NETLOC.has(scheme);
}

/** The text of a URL from its parts, as `urlunparse` makes it. */
export function urlOfParts({ scheme, netloc, path, params, query, fragment }: UrlParts): string {
  let url = params === '' ? path : `${path};${params}`;
  if (netloc !== '' || (scheme !== '' && usesNetloc(scheme) && !url.startsWith('//'))) {
    if (url !== '' && !url.startsWith('/')) url = `/${url}`;
    url = `//${netloc}${url}`;
  }
  if (scheme !== '') url = `${scheme}:${url}`;
  if (query !== '') url += `?${query}`;
  return fragment === '' ? url : `${url}#${fragment}`;
}

/** The results of `urlparse`, `urlsplit` and `urldefrag`. */
export const parseResult = resultClass(
  'ParseResult',
  ['scheme', 'netloc', 'path', 'params', 'query', 'fragment'],
  ([scheme = '', netloc = '', path = '', params = '', query = '', fragment = '']) =>
    urlOfParts({ scheme, netloc, path, params, query, fragment }),
);
export const splitResult = resultClass(
  'SplitResult',
  ['scheme', 'netloc', 'path', 'query', 'fragment'],
  ([scheme = '', netloc = '', path = '', query = '', fragment = '']) =>
    urlOfParts({ scheme, netloc, path, params: '', query, fragment }),
);
export const defragResult = resultClass(
  'DefragResult',
  ['url', 'fragment'],
  ([url = '', fragment = '']) => (fragment === '' ? url : `${url}#${fragment}`),
);

function resultClass(
  name: string,
  fields: readonly string[],
  urlFrom: (texts: readonly string[]) => string,
): PyClass {
  const cls = namedTupleClass(name, 'urllib.parse', fields);
  defineMethods(cls, PyTuple, {
    'geturl()': (self) => urlFrom(self.items.map((item) => (item === null ? '' : str(item)))),
  });
  if (!fields.includes('netloc')) return cls;
  defineGetters(cls, PyTuple, {
    username: (self) => userOf(netlocOf(self))[0],
    password: (self) => userOf(netlocOf(self))[1],
    hostname: (self) => hostname(netlocOf(self)),
    port: (self) => port(netlocOf(self)),
  });
  return cls;
}

function userOf(netloc: string): readonly [Value, Value] {
  const at = netloc.lastIndexOf('@');
  if (at < 0) return [null, null];
  const [user, password = null] = partition(netloc.slice(0, at), ':');
  return [user, password];
}

function partition(text: string, by: string): readonly [string, string | undefined] {
  const at = text.indexOf(by);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + by.length)];
}

function netlocOf(self: PyTuple): string {
  return str(self.items[1] ?? null);
}

function hostname(netloc: string): Value {
  const [host] = hostOf(netloc);
  const [name, zone] = partition(host, '%');
  return host === '' ? null : `${name.toLowerCase()}${zone === undefined ? '' : `%${zone}`}`;
}

function hostOf(netloc: string): readonly [string, string | undefined] {
  const host = netloc.slice(netloc.lastIndexOf('@') + 1);
  const [, bracketed] = partition(host, '[');
  if (bracketed === undefined) return partition(host, ':');
  const [name, rest = ''] = partition(bracketed, ']');
  return [name, partition(rest, ':')[1]];
}

function port(netloc: string): Value {
  const [, text = ''] = hostOf(netloc);
  if (text === '') return null;
  if (!/^[0-9]+$/.test(text))
    raise('ValueError', `Port could not be cast to integer value as '${text}'`);
  return Number(text) <= 65535 ? Number(text) : raise('ValueError', 'Port out of range 0-65535');
}
