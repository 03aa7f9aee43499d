import { PyError } from '../../errors.ts';
import { PyException, exceptionClass, exceptionNamed } from '../../objects/classes/exceptions.ts';
import { PyClass } from '../../objects/class.ts';
import type { Value } from '../../objects/object.ts';
import { decodeError } from '../json/error.ts';

const MODULE = 'requests.exceptions';

/** The root of these classes is an OSError, as in `requests`. */
const requestException = exceptionClass('RequestException', exceptionNamed('OSError'), MODULE);
for (const name of ['request', 'response']) requestException.dict.set(name, null);
const valueError = exceptionNamed('ValueError');
const connection = of('ConnectionError', requestException);
const timeout = of('Timeout', requestException);
const invalidUrl = of('InvalidURL', requestException, valueError);
const invalidJson = of('InvalidJSONError', requestException);

const jsonDecode = of('JSONDecodeError', invalidJson, decodeError);
jsonDecode.create = decodeError.create;

/** The classes of `requests.exceptions`, with their bases. */
export const requestErrors = {
  RequestException: requestException,
  InvalidJSONError: invalidJson,
  JSONDecodeError: jsonDecode,
  HTTPError: of('HTTPError', requestException),
  ConnectionError: connection,
  ProxyError: of('ProxyError', connection),
  SSLError: of('SSLError', connection),
  Timeout: timeout,
  ConnectTimeout: of('ConnectTimeout', connection, timeout),
  ReadTimeout: of('ReadTimeout', timeout),
  URLRequired: of('URLRequired', requestException),
  TooManyRedirects: of('TooManyRedirects', requestException),
  MissingSchema: of('MissingSchema', requestException, valueError),
  InvalidSchema: of('InvalidSchema', requestException, valueError),
  InvalidURL: invalidUrl,
  InvalidHeader: of('InvalidHeader', requestException, valueError),
  InvalidProxyURL: of('InvalidProxyURL', invalidUrl),
  ChunkedEncodingError: of('ChunkedEncodingError', requestException),
  ContentDecodingError: of('ContentDecodingError', requestException),
  RetryError: of('RetryError', requestException),
} as const;

/** Raises an exception of `requests` with an attribute `response`. */
export function raiseRequest(
  name: keyof typeof requestErrors,
  message: string,
  response: Value = null,
): never {
  const cls = requestErrors[name];
  const made = new PyException(cls, [message]);
  if (response !== null) made.setAttribute('response', response);
  throw new PyError(cls.name, [message], message, made);
}

function of(name: string, ...bases: readonly PyClass[]): PyClass {
  return new PyClass(name, bases, { module: MODULE });
}
