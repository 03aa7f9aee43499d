import { PyError } from '../../errors.ts';
import { payForText } from '../../text/size.ts';
import { PyBytes } from '../../objects/collections/bytes.ts';
import { PyDict } from '../../objects/collections/dict.ts';
import { defineClass } from '../../objects/classes/host.ts';
import { madeError } from '../../objects/classes/exception-data.ts';
import type { HostClass } from '../../objects/classes/host.ts';
import { PyList } from '../../objects/collections/list.ts';
import type { Value } from '../../objects/object.ts';
import { call } from '../../objects/protocol.ts';
import { utf8 } from '../../text/encodings.ts';
import { jsonModule } from '../json/module.ts';
import { TimeDelta } from '../datetime/timedelta.ts';
import { raiseRequest, requestErrors } from './errors.ts';
import type { HttpAnswer } from './exchange.ts';

type Answered = Extract<HttpAnswer, { kind: 'answered' }>;

/** Headers: a dict that ignores the case of its keys. */
class HeaderDict extends PyDict {
  override get(key: Value): Value | undefined {
    return super.get(typeof key === 'string' ? key.toLowerCase() : key);
  }
  override contains(key: Value): boolean {
    return super.contains(typeof key === 'string' ? key.toLowerCase() : key);
  }
}

/** `requests.Response`. */
export const responses: HostClass<Answered> = defineClass<Answered>({
  name: 'Response',
  module: 'requests.models',
  attributes: {
    status_code: { get: ({ status }) => status },
    ok: { get: isOk },
    reason: { get: ({ reason }) => reason },
    url: { get: ({ url }) => url },
    text: { get: ({ text }) => paid(text) },
    content: { get: ({ text }) => new PyBytes(utf8(paid(text))) },
    encoding: { get: ({ encoding }) => encoding },
    headers: { get: ({ headers }) => new HeaderDict(headers) },
    elapsed: { get: ({ milliseconds }) => new TimeDelta(0, Math.round(milliseconds * 1000)) },
    history: { get: () => new PyList([]) },
    is_redirect: {
      get: ({ status, headers }) =>
        status >= 300 && status < 400 && headers.some(([name]) => name === 'location'),
    },
  },
  methods: {
    'json()': ({ text }) => decoded(text),
    'raise_for_status()': raiseForStatus,
    'close()': () => null,
    'iter_lines(chunk_size=, decode_unicode=)': ({ text }) =>
      new PyList(paid(text).split(/\r\n|\n|\r/)).iterate(),
    '__enter__()': (answer) => responses.wrap(answer),
    '__exit__(kind, value, trace)': () => null,
  },
  truthy: isOk,
  repr: ({ status }) => `<Response [${status}]>`,
});

/** `requests` counts 2xx and 3xx as success. */
function isOk({ status }: Answered): boolean {
  return status < 400;
}

function paid(text: string): string {
  payForText(text.length);
  return text;
}

/** The body as JSON. @throws requests.exceptions.JSONDecodeError, a subclass of json's own */
function decoded(text: string): Value {
  try {
    return call(jsonModule.members.get('loads') ?? null, [text]);
  } catch (error) {
    if (!(error instanceof PyError) || error.className !== 'JSONDecodeError') throw error;
    const { value } = error;
    throw madeError(
      requestErrors.JSONDecodeError,
      ['msg', 'doc', 'pos'].map((name) => value.attribute(name) ?? null),
    );
  }
}

function raiseForStatus(answer: Answered): null {
  const { status, reason, url } = answer;
  if (status < 400) return null;
  const side = status < 500 ? 'Client' : 'Server';
  return raiseRequest(
    'HTTPError',
    `${status} ${side} Error: ${reason} for url: ${url}`,
    responses.wrap(answer),
  );
}
