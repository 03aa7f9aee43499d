import { raise } from '../../errors.ts';
import { truthy } from '../../objects/compare.ts';
import { PyDict } from '../../objects/collections/dict.ts';
import { defineClass } from '../../objects/classes/host.ts';
import type { HostClass } from '../../objects/classes/host.ts';
import { moduleOf } from '../../objects/classes/module.ts';
import type { PyModule } from '../../objects/classes/module.ts';
import { PyBuiltin } from '../../objects/classes/native.ts';
import type { Kwargs, Value } from '../../objects/object.ts';
import { PyTuple } from '../../objects/collections/tuple.ts';
import { str } from '../../text/repr.ts';
import { checkOptions, requestOf } from './arguments.ts';
import type { Options } from './arguments.ts';
import { raiseRequest, requestErrors } from './errors.ts';
import type { Send } from './exchange.ts';
import { responses } from './response.ts';

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'] as const;
/** The second parameter of each function, after the URL; `json` is the third of `post`. */
const SECOND: { readonly [method: string]: readonly string[] } = {
  get: ['params'],
  post: ['data', 'json'],
  put: ['data'],
  patch: ['data'],
};

/** The exceptions that the module `requests` itself exports. */
const EXCEPTIONS = [
  'RequestException',
  'ConnectionError',
  'HTTPError',
  'Timeout',
  'ConnectTimeout',
  'ReadTimeout',
  'TooManyRedirects',
  'JSONDecodeError',
] as const;

/** What a session adds to each request. */
type Defaults = { headers: PyDict; params: Value; auth: Value };

/**
 * The modules `requests`, `requests.exceptions`, `requests.auth` and `requests.adapters`. `send`
 * answers every request; it may also end the evaluation while the answer is missing.
 */
export function requestsModules(send: Send): ReadonlyMap<string, PyModule> {
  const request = (method: string, url: Value, options: Options): Value => {
    const answer = send(requestOf(method, url, options));
    return answer.kind === 'answered'
      ? responses.wrap(answer)
      : raiseRequest(answer.error, answer.message);
  };
  const functions = (defaults?: Defaults): readonly (readonly [string, PyBuiltin])[] => [
    ...METHODS.map(
      (method) =>
        [
          method,
          caller(method, (url, options) => request(method, url, laidOver(defaults, options))),
        ] as const,
    ),
    [
      'request',
      new PyBuiltin('request', (args, kwargs) => {
        const { method, url, ...options } = bound('request', ['method', 'url'], args, kwargs);
        return request(str(method ?? null), url ?? null, laidOver(defaults, options));
      }),
    ],
  ];
  const { cls: sessionClass, wrap } = sessionsOf(functions);
  const exceptions = moduleOf('requests.exceptions', requestErrors);
  const auth = moduleOf('requests.auth', {
    HTTPBasicAuth: new PyBuiltin(
      'HTTPBasicAuth',
      ([user = null, password = null]) => new PyTuple([user, password]),
    ),
  });
  const adapters = moduleOf('requests.adapters', {
    HTTPAdapter: new PyBuiltin('HTTPAdapter', () => null),
  });
  const requests = moduleOf('requests', {
    ...Object.fromEntries(EXCEPTIONS.map((name) => [name, requestErrors[name]])),
    exceptions,
    auth,
    adapters,
    Session: sessionClass,
    session: new PyBuiltin('session', () => wrap(nothing())),
    Response: responses.cls,
    codes: moduleOf('requests.codes', {
      ok: 200,
      created: 201,
      not_found: 404,
      too_many_requests: 429,
      internal_server_error: 500,
    }),
    ...Object.fromEntries(functions()),
  });
  return new Map([requests, exceptions, auth, adapters].map((module) => [module.name, module]));
}

type Functions = (defaults: Defaults) => readonly (readonly [string, PyBuiltin])[];

function caller(method: string, perform: (url: Value, options: Options) => Value): PyBuiltin {
  return new PyBuiltin(method, (args, kwargs) => {
    const { url, ...options } = bound(method, ['url', ...(SECOND[method] ?? [])], args, kwargs);
    return perform(url ?? null, options);
  });
}

/** Arguments by name. @throws TypeError for unknown ones */
function bound(
  name: string,
  positional: readonly string[],
  args: readonly Value[],
  kwargs?: Kwargs,
): Options & { readonly url?: Value; readonly method?: Value } {
  if (args.length > positional.length)
    raise(
      'TypeError',
      `${name}() takes ${positional.length} positional arguments but ${args.length} were given`,
    );
  const given = new Map<string, Value>(
    args.map((value, index) => [positional[index] ?? '', value]),
  );
  for (const [key, value] of kwargs ?? []) {
    if (given.has(key)) raise('TypeError', `${name}() got multiple values for argument '${key}'`);
    given.set(key, value);
  }
  if (!given.has('url'))
    raise('TypeError', `${name}() missing 1 required positional argument: 'url'`);
  checkOptions([...given.keys()].filter((key) => key !== 'url' && key !== 'method'));
  return Object.fromEntries(given);
}

/** The options of one request over those of its session. */
function laidOver(defaults: Defaults | undefined, options: Options): Options {
  if (defaults === undefined) return options;
  const headers = new PyDict([
    ...defaults.headers.pairs(),
    ...(options.headers instanceof PyDict ? options.headers.pairs() : []),
  ]);
  const params =
    defaults.params instanceof PyDict && options.params instanceof PyDict
      ? new PyDict([...defaults.params.pairs(), ...options.params.pairs()])
      : (options.params ?? defaults.params);
  return {
    ...options,
    headers,
    params,
    auth: truthy(options.auth ?? null) ? (options.auth ?? null) : defaults.auth,
  };
}

/** `requests.Session`: keeps headers, parameters and credentials; the host manages connections. */
function sessionsOf(functions: Functions): HostClass<Defaults> {
  const sessions: HostClass<Defaults> = defineClass<Defaults>({
    name: 'Session',
    module: 'requests.sessions',
    attributes: {
      headers: {
        get: (self) => self.headers,
        set: (self, value) => void (self.headers = dict(value)),
      },
      params: { get: (self) => self.params, set: (self, value) => void (self.params = value) },
      auth: { get: (self) => self.auth, set: (self, value) => void (self.auth = value) },
      verify: { get: () => true, set: () => undefined },
      trust_env: { get: () => false, set: () => undefined },
    },
    methods: {
      '__enter__()': (self) => sessions.wrap(self),
      '__exit__(kind, value, trace)': () => null,
      'close()': () => null,
      'mount(prefix, adapter)': () => null,
    },
    fallback: (self, name) => functions(self).find(([known]) => known === name)?.[1],
    construct: nothing,
  });
  return sessions;
}

function dict(value: Value): PyDict {
  return value instanceof PyDict ? value : raise('TypeError', 'headers must be a dict');
}

function nothing(): Defaults {
  return { headers: new PyDict(), params: null, auth: null };
}
