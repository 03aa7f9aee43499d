import { raise } from '../../errors.ts';
import { truthy } from '../../objects/compare.ts';
import { keyOf } from '../../objects/key.ts';
import { moduleOf } from '../../objects/classes/module.ts';
import { nativeFunction } from '../../objects/classes/native.ts';
import { asText } from '../../objects/object.ts';
import { typeName } from '../../objects/types.ts';
import type { Value } from '../../objects/object.ts';
import { call, items } from '../../objects/protocol.ts';
import { queries } from './query.ts';
import { quoting } from './quoting.ts';
import { defragResult, parseResult, splitResult, urlOfParts } from './results.ts';
import type { UrlParts } from './results.ts';
import { urlText } from './texts.ts';
import { joinUrls, parseUrl, splitUrl } from './split.ts';

type Splitter = (url: string, scheme: string, hasFragments: boolean) => UrlParts;

/**
 * `urllib.parse`: the part of `urllib` that needs no network. URLs are texts; it refuses those of
 * bytes with NotImplementedError.
 */
export const urllibParse = moduleOf('urllib.parse', {
  ...quoting,
  ...queries,
  ParseResult: parseResult,
  SplitResult: splitResult,
  DefragResult: defragResult,
  urlparse: splitting('urlparse', parseUrl, (p) =>
    call(parseResult, [p.scheme, p.netloc, p.path, p.params, p.query, p.fragment]),
  ),
  urlsplit: splitting('urlsplit', splitUrl, (p) =>
    call(splitResult, [p.scheme, p.netloc, p.path, p.query, p.fragment]),
  ),
  urlunparse: nativeFunction('urlunparse(components)', (parts: Value) => unparsed(parts, 6)),
  urlunsplit: nativeFunction('urlunsplit(components)', (parts: Value) => unparsed(parts, 5)),
  urljoin: nativeFunction(
    'urljoin(base, url, allow_fragments=)',
    (base: Value, url: Value, fragments) => {
      if (!truthy(base)) return url;
      if (!truthy(url)) return base;
      checkAlike([base, url]);
      return joinUrls(urlText(base), urlText(url), fragments === undefined || truthy(fragments));
    },
  ),
  urldefrag: nativeFunction('urldefrag(url)', (url) => defragmented(urlText(url))),
});

function splitting(name: string, split: Splitter, show: (parts: UrlParts) => Value): Value {
  return nativeFunction(`${name}(url, scheme=, allow_fragments=)`, (url, scheme, fragments) => {
    // CPython caches the results of `urlsplit`, so its argument must be hashable.
    if (split === splitUrl) keyOf(url ?? null);
    checkAlike([url ?? null, scheme ?? '']);
    return show(
      split(urlText(url), partText(scheme), fragments === undefined || truthy(fragments)),
    );
  });
}

/** @throws TypeError for a mix of texts and other values */
function checkAlike([first = null, ...rest]: readonly Value[]): void {
  const isText = asText(first) !== undefined;
  if (rest.some((part) => truthy(part) && (asText(part) !== undefined) !== isText))
    raise('TypeError', 'Cannot mix str and non-str arguments');
}

/** An optional part. @throws TypeError for bytes next to a text */
function partText(v: Value | undefined): string {
  if (v === undefined || !truthy(v)) return '';
  return asText(v) ?? raise('TypeError', 'Cannot mix str and non-str arguments');
}

function unparsed(v: Value, count: 5 | 6): Value {
  const all = items(v);
  if (all.length !== count)
    raise(
      'ValueError',
      all.length > count
        ? `too many values to unpack (expected ${count + 1})`
        : `not enough values to unpack (expected ${count + 1}, got ${all.length + 1})`,
    );
  checkAlike(all);
  const scheme = urlText(all[0]);
  const [netloc = '', path = '', ...rest] = all.slice(1).map(partText);
  const [params = '', query = '', fragment = ''] = count === 6 ? rest : ['', ...rest];
  if (asText(all[2] ?? null) === undefined)
    raise('TypeError', `can only concatenate str (not "${typeName(all[2] ?? null)}") to str`);
  return urlOfParts({ scheme, netloc, path, params, query, fragment });
}

function defragmented(url: string): Value {
  if (!url.includes('#')) return call(defragResult, [url, '']);
  const parts = parseUrl(url, '', true);
  return call(defragResult, [urlOfParts({ ...parts, fragment: '' }), parts.fragment]);
}
