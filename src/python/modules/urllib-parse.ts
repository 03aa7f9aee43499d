import { payForText } from '../frame.ts';
import { text } from '../builtins/strings.ts';
import { PyDict } from '../objects/dict.ts';
import { moduleOf } from '../objects/module.ts';
import { nativeFunction } from '../objects/native.ts';
import type { Value } from '../objects/object.ts';
import { items } from '../objects/protocol.ts';
import { str } from '../text/repr.ts';

/** `quote`: everything but letters, digits, `_.-~` and the characters in `safe` becomes percent signs. */
function quote(given: string, safe: string): string {
  payForText(given.length * 3);
  return [...given.toWellFormed()].map((c) => (/[A-Za-z0-9_.~-]/.test(c) || safe.includes(c) ? c : percent(c))).join('');
}

const percent = (c: string): string =>
  encodeURIComponent(c).replaceAll(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);

const quotePlus = (given: string): string => quote(given, ' ').replaceAll(' ', '+');

/** `unquote`: bytes that are no UTF-8 become U+FFFD. */
function unquote(given: string): string {
  payForText(given.length);
  return given.replaceAll(/(?:%[0-9a-fA-F]{2})+/g, (run) => {
    try {
      return decodeURIComponent(run);
    } catch {
      return '\uFFFD';
    }
  });
}

function urlencode(query: Value | undefined): string {
  const pairs = query instanceof PyDict ? query.pairs() : items(query ?? null).map((pair) => items(pair));
  return pairs.map(([key = null, value = null]) => `${quotePlus(str(key))}=${quotePlus(str(value))}`).join('&');
}

const given = (v: Value | undefined): string => text(v, 'a str was expected');

/** `urllib.parse`, as far as it makes URLs: the part that needs no network. */
export const urllibParse = moduleOf('urllib.parse', {
  quote: nativeFunction('quote(string, safe=)', (s, safe) => quote(given(s), safe === undefined ? '/' : given(safe))),
  quote_plus: nativeFunction('quote_plus(string)', (s) => quotePlus(given(s))),
  unquote: nativeFunction('unquote(string)', (s) => unquote(given(s))),
  unquote_plus: nativeFunction('unquote_plus(string)', (s) => unquote(given(s).replaceAll('+', ' '))),
  urlencode: nativeFunction('urlencode(query, doseq=)', (query) => urlencode(query)),
});
