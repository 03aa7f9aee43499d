import { readFileSync } from 'node:fs';
import { defineClass, nativeFunction, PyList, PyModule, raise, str } from '../../src/python/index.ts';
import type { HostClass, Modules, Value } from '../../src/python/index.ts';
import { json } from '../../src/vortex/job-parse.ts';
import type { Json } from '../../src/vortex/index.ts';
import { list, object, text } from '../../src/vortex/shape.ts';
import { fromJson } from '../../src/vortex/values.ts';

/*
 * The outside world as it was when the cases were recorded (../shared/tpv/README.md): HTTP answers from files, and a
 * database without rows. The product lets no rule reach outside.
 */

const responses = defineClass<Json>({
  name: 'Response',
  methods: { 'json()': (body) => fromJson(body), 'raise_for_status()': () => null },
});

type Nothing = Record<string, never>;
const nothing: Nothing = {};

const cursors: HostClass<Nothing> = defineClass<Nothing>({
  name: 'cursor',
  methods: {
    '__enter__()': () => cursors.wrap(nothing),
    '__exit__(a, b, c)': () => null,
    'execute(query, values=)': () => null,
    'fetchall()': () => new PyList([]),
  },
});

const connections: HostClass<Nothing> = defineClass<Nothing>({
  name: 'connection',
  methods: {
    '__enter__()': () => connections.wrap(nothing),
    '__exit__(a, b, c)': () => null,
    'cursor()': () => cursors.wrap(nothing),
  },
});

const connect = defineClass<Nothing>({ name: 'connect', call: () => connections.wrap(nothing) });

const exchange = object({ url: text, body_fixture: text });

/** Stand-ins for the modules that reach outside; `http` are the recorded exchanges of a case. */
export function recordedModules(http: Json, fixtures: URL): Modules {
  const exchanges = list(exchange)(http, 'http');
  const answer = (url: Value | undefined): Value => {
    const found = exchanges.find((one) => one.url === str(url ?? null));
    if (found === undefined) return raise('ConnectionError', `no recorded answer of ${str(url ?? null)}`);
    return responses.wrap(json(JSON.parse(readFileSync(new URL(found.body_fixture, fixtures), 'utf8')), 'body'));
  };
  return new Map<string, Value>([
    ['requests', new PyModule('requests', [['get', nativeFunction('get(url, params=, timeout=)', answer)]])],
    ['psycopg2', new PyModule('psycopg2', [['connect', connect.wrap(nothing)]])],
  ]);
}
