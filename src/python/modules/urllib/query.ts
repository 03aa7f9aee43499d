import { raise } from '../../errors.ts';
import { tick } from '../../meter.ts';
import { stringArgument } from '../../builtins/strings.ts';
import { PyBytes } from '../../objects/collections/bytes.ts';
import { PyDict } from '../../objects/collections/dict.ts';
import { PyList } from '../../objects/collections/list.ts';
import { nativeFunction } from '../../objects/classes/native.ts';
import { indexOf } from '../../objects/numbers/number.ts';
import { asText, PyObject } from '../../objects/object.ts';
import type { Value } from '../../objects/object.ts';
import { call, catching, flag, items, lengthOf } from '../../objects/protocol.ts';
import { PyTuple } from '../../objects/collections/tuple.ts';
import { repr, str } from '../../text/repr.ts';
import { quotePlus, unquote } from './quoting.ts';
import { urlText } from './texts.ts';

/** Arguments of `parse_qs` and `parse_qsl` besides the query. */
const OPTIONS =
  'keep_blank_values=, strict_parsing=, encoding=, errors=, max_num_fields=, separator=';

/** The functions of `urllib.parse` for queries. */
export const queries: Readonly<Record<string, Value>> = {
  urlencode: nativeFunction(
    'urlencode(query, doseq=, safe=, encoding=, errors=, quote_via=)',
    (query: Value, doseq, safe, encoding, errors, by) =>
      urlencode(query, flag(doseq), [safe ?? '', encoding ?? null, errors ?? null], by),
  ),
  parse_qsl: nativeFunction(
    `parse_qsl(qs, ${OPTIONS})`,
    (qs, ...options) => new PyList(parsed(qs, ...options).map((pair) => new PyTuple(pair))),
  ),
  parse_qs: nativeFunction(`parse_qs(qs, ${OPTIONS})`, (qs, ...options) =>
    grouped(parsed(qs, ...options)),
  ),
};

/**
 * `urlencode`; `parts` are the arguments for the quoting function.
 * @throws TypeError, ValueError
 */
function urlencode(
  query: Value,
  isSequence: boolean,
  parts: readonly Value[],
  by: Value | undefined,
): string {
  const [safe = '', encoding = null, errors = null] = parts;
  const quoted = (v: Value): string => {
    tick(1);
    const whole = v instanceof PyBytes ? v : str(v);
    if (by !== undefined)
      return stringArgument(
        call(by, whole instanceof PyBytes ? [whole, safe] : [whole, safe, encoding, errors]),
        'quote_via() result',
      );
    return whole instanceof PyBytes
      ? quotePlus(whole, safe)
      : quotePlus(whole, safe, encoding, errors);
  };
  return pairsOf(query)
    .flatMap(([key, value]) => {
      const name = quoted(key);
      const isOne = !isSequence || value instanceof PyBytes || typeof value === 'string';
      const length = isOne ? undefined : catching(['TypeError'], () => lengthOf(value));
      return (length === undefined ? [value] : items(value)).map((one) => `${name}=${quoted(one)}`);
    })
    .join('&');
}

/** The pairs of a query for `urlencode`. @throws TypeError, ValueError */
function pairsOf(query: Value): readonly (readonly [Value, Value])[] {
  const own = query instanceof PyObject ? query.attribute('items') : undefined;
  if (own === undefined) checkSequence(query);
  return items(own === undefined ? query : call(own, [])).map((pair) => {
    const [key, value, ...more] = items(pair);
    if (key === undefined || value === undefined)
      return raise('ValueError', 'not enough values to unpack (expected 2)');
    return more.length === 0
      ? [key, value]
      : raise('ValueError', 'too many values to unpack (expected 2)');
  });
}

function checkSequence(query: Value): void {
  const first = catching(['TypeError'], () =>
    lengthOf(query) === 0 ? new PyTuple([]) : getItem(query),
  );
  if (!(first instanceof PyTuple))
    raise('TypeError', 'not a valid non-string sequence or mapping object');
}

function getItem(query: Value): Value {
  return query instanceof PyObject ? query.item(0) : null;
}

/** The pairs of a query text. @throws ValueError */
function parsed(
  query: Value | undefined,
  ...options: readonly (Value | undefined)[]
): readonly (readonly [string, string])[] {
  const [keepsBlank, isStrict, encoding, errors, most, by = '&'] = options;
  const separator = asText(by) ?? '';
  const given = urlText(query);
  if (separator === '') raise('ValueError', 'Separator must be of type string or bytes.');
  const fields = given === '' ? [] : given.split(separator);
  tick(fields.length);
  if (most !== undefined && most !== null && indexOf(most) < fields.length)
    raise('ValueError', 'Max number of fields exceeded');
  const plain = (escaped: string): string =>
    unquote(escaped.replaceAll('+', ' '), encoding, errors);
  return fields.flatMap((field) => {
    if (field === '' && !flag(isStrict)) return [];
    const at = field.indexOf('=');
    if (at < 0 && flag(isStrict)) raise('ValueError', `bad query field: ${repr(field)}`);
    const [name, value] = at < 0 ? [field, ''] : [field.slice(0, at), field.slice(at + 1)];
    return value !== '' || flag(keepsBlank) ? [[plain(name), plain(value)] as const] : [];
  });
}

function grouped(pairs: readonly (readonly [string, string])[]): PyDict {
  const found = new Map<string, Value[]>();
  for (const [name, value] of pairs) {
    const values = found.get(name);
    if (values === undefined) found.set(name, [value]);
    else values.push(value);
  }
  return new PyDict([...found].map(([name, values]) => [name, new PyList(values)] as const));
}
