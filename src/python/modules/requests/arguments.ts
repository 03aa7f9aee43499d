import { raise } from '../../errors.ts';
import { payForText } from '../../text/size.ts';
import { tick } from '../../meter.ts';
import { truthy } from '../../objects/compare.ts';
import { PyDict } from '../../objects/collections/dict.ts';
import { PyList } from '../../objects/collections/list.ts';
import { asNumber } from '../../objects/numbers/number.ts';
import { typeName } from '../../objects/types.ts';
import type { Value } from '../../objects/object.ts';
import { call, items } from '../../objects/protocol.ts';
import { PyTuple } from '../../objects/collections/tuple.ts';
import { str } from '../../text/repr.ts';
import { jsonModule } from '../json/module.ts';
import { raiseRequest } from './errors.ts';
import type { HttpBody, HttpRequest, Pair } from './exchange.ts';

/**
 * Arguments of a call of `requests` besides method and URL. `verify` and `stream` have no effect:
 * certificates are always checked, and answers are read whole.
 */
const OPTIONS = [
  'params',
  'data',
  'json',
  'headers',
  'auth',
  'timeout',
  'allow_redirects',
  'verify',
  'stream',
  'cookies',
  'files',
  'proxies',
  'hooks',
  'cert',
] as const;
export type Options = { readonly [name in (typeof OPTIONS)[number]]?: Value };

/** The request that `requests` would send. @throws PyError as `requests` does */
export function requestOf(method: string, url: Value, options: Options): HttpRequest {
  for (const name of ['cookies', 'files', 'proxies', 'hooks', 'cert'] as const) {
    if (truthy(options[name] ?? null))
      raise('NotImplementedError', `requests: '${name}' is not available in rule files`);
  }
  return {
    method: method.toUpperCase(),
    url: str(url),
    params: fieldsOf(options.params ?? null, 'params'),
    headers: headersOf(options.headers ?? null),
    body: bodyOf(options.data ?? null, options.json ?? null),
    auth: authOf(options.auth ?? null),
    timeoutMs: timeoutOf(options.timeout ?? null),
    followsRedirects:
      options.allow_redirects === undefined ? method !== 'HEAD' : truthy(options.allow_redirects),
  };
}

/** @throws TypeError for a keyword argument that no request has */
export function checkOptions(names: Iterable<string>): void {
  for (const name of names) {
    if (!OPTIONS.some((option) => option === name))
      raise('TypeError', `Session.request() got an unexpected keyword argument '${name}'`);
  }
}

/**
 * A dict, or a list of pairs; a list as value stands for several pairs of one name, None for none.
 */
function fieldsOf(value: Value, what: string): readonly Pair[] {
  if (value === null) return [];
  if (typeof value === 'string') return queryOf(value);
  const pairs =
    value instanceof PyDict ? value.pairs() : items(value).map((item) => pairOf(item, what));
  return pairs.flatMap(([key, given]) => {
    const several = given instanceof PyList || given instanceof PyTuple ? items(given) : [given];
    tick(several.length);
    return several.filter((one) => one !== null).map((one): Pair => [str(key), str(one)]);
  });
}

/** Parameters given as text, `a=1&b=2`, as pairs. */
function queryOf(text: string): readonly Pair[] {
  payForText(text.length);
  return text
    .split('&')
    .filter((part) => part !== '')
    .map((part): Pair => {
      const at = part.indexOf('=');
      return at < 0 ? [part, ''] : [part.slice(0, at), part.slice(at + 1)];
    });
}

function pairOf(value: Value, what: string): [Value, Value] {
  const [key, given, ...more] = items(value);
  if (key === undefined || given === undefined || more.length > 0)
    raise('ValueError', `${what} must be a dict or a list of pairs`);
  return [key, given];
}

function headersOf(value: Value): readonly Pair[] {
  if (value === null) return [];
  if (!(value instanceof PyDict))
    return raise('AttributeError', `'${typeName(value)}' object has no attribute 'items'`);
  return value
    .pairs()
    .filter(([, given]) => given !== null)
    .map(([key, given]): Pair => {
      if (typeof given !== 'string')
        return raiseRequest(
          'InvalidHeader',
          `Header part (${str(given)}) from (${str(key)}, ${str(given)}) must be of type str or bytes`,
        );
      return [str(key), given];
    });
}

function bodyOf(data: Value, body: Value): HttpBody | null {
  if (truthy(data)) {
    if (typeof data === 'string') return { kind: 'text', text: data, type: null };
    return { kind: 'form', fields: fieldsOf(data, 'data') };
  }
  if (body === null) return null;
  return {
    kind: 'text',
    text: str(call(jsonModule.members.get('dumps') ?? null, [body])),
    type: 'application/json',
  };
}

function authOf(value: Value): Pair | null {
  if (value === null) return null;
  const [user, password, ...more] = items(value);
  if (user === undefined || password === undefined || more.length > 0)
    raise(
      'NotImplementedError',
      'requests: auth must be a pair of user and password in rule files',
    );
  return [str(user), str(password)];
}

/**
 * Seconds, or a pair of seconds for connecting and reading; None, which would wait for ever, has no
 * limit of its own.
 */
function timeoutOf(value: Value): number | null {
  if (value === null) return null;
  const parts = value instanceof PyTuple ? value.items : [value];
  const seconds = parts.map((part) =>
    part === null
      ? Infinity
      : (asNumber(part) ?? raise('ValueError', `Invalid timeout ${str(part)}`)),
  );
  const all = seconds.reduce((sum, one) => sum + one, 0);
  if (Number.isNaN(all) || seconds.some((one) => one <= 0))
    raise('ValueError', 'Attempted to set connect timeout to a value that is not above 0');
  return Number.isFinite(all) ? all * 1000 : null;
}
