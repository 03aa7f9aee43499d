import { readFileSync } from 'node:fs';
import {
  defineClass,
  nativeFunction,
  PyList,
  PyModule,
  raise,
  standardModules,
  str,
} from '../../src/python/index.ts';
import type { HostClass, Modules, Value } from '../../src/python/index.ts';
import { jsonShape } from '../../src/vortex/job-parse.ts';
import type { Json } from '../../src/vortex/index.ts';
import { object, stringShape, list } from '../../src/vortex/shape.ts';
import { fromJson } from '../../src/vortex/values.ts';
import { firstRandom } from './first.ts';

/*
 * The outside world of the recordings (README of ../shared/tpv): HTTP answers from files, and a
 * database without rows. The service lets no rule reach outside.
 */

const responses = defineClass<Json>({
  name: 'Response',
  attributes: { status_code: { get: () => 200 }, ok: { get: () => true } },
  methods: { 'json()': (body) => fromJson(body), 'raise_for_status()': () => null },
});

type Nothing = Record<string, never>;
const nothing: Nothing = {};

const cursors: HostClass<Nothing> = defineClass<Nothing>({
  name: 'cursor',
  methods: {
    ...managed(() => cursors),
    'execute(query, values=)': () => null,
    'fetchall()': () => new PyList([]),
    'fetchone()': () => null,
  },
});

const connections: HostClass<Nothing> = defineClass<Nothing>({
  name: 'connection',
  methods: {
    ...managed(() => connections),
    'cursor()': () => cursors.wrap(nothing),
    'commit()': () => null,
  },
});

const connect = defineClass<Nothing>({ name: 'connect', call: () => connections.wrap(nothing) });

/** A part of an SQL expression: any attribute, call or operator makes another one. */
const expressions: HostClass<Nothing> = defineClass<Nothing>({
  name: 'ColumnElement',
  fallback: (_self, name) => (name.startsWith('__') ? undefined : expressions.wrap(nothing)),
  call: () => expressions.wrap(nothing),
  equals: () => expressions.wrap(nothing),
  order: () => expressions.wrap(nothing),
  binary: () => expressions.wrap(nothing),
});

/** A query of an empty table: it finds nothing, however it is narrowed. */
const queries: HostClass<Nothing> = defineClass<Nothing>({
  name: 'Query',
  methods: {
    'all()': () => new PyList([]),
    'first()': () => null,
    'one_or_none()': () => null,
    'scalar()': () => null,
    'count()': () => 0,
  },
  fallback: (_self, name) => (name.startsWith('__') ? undefined : narrowing.wrap(nothing)),
  iterate: () => new PyList([]).iterate(),
});
const narrowing = defineClass<Nothing>({ name: 'method', call: () => queries.wrap(nothing) });

const execute = nativeFunction('execute(statement, parameters=)', () =>
  raise('RuntimeError', 'raw SQL is not available in the recordings'),
);
const query = defineClass<Nothing>({ name: 'query', call: () => queries.wrap(nothing) });
const session = new PyModule('context', [
  ['execute', execute],
  ['query', query.wrap(nothing)],
]);

/** `app.model` of the recordings of production: an empty table of jobs. */
const model = new PyModule('model', [
  ['context', session],
  ['session', session],
  ['Job', expressions.wrap(nothing)],
  ['User', expressions.wrap(nothing)],
]);

/** The attributes of `app` in the recordings of production. */
export const recordedApp: ReadonlyMap<string, Value> = new Map([['model', model]]);

const exchange = object({ method: stringShape, url: stringShape, body_fixture: stringShape });

/**
 * The stand-ins of a case: recorded HTTP exchanges, and whether random choices take the first item.
 */
export type World = {
  readonly http: Json;
  readonly fixtures: URL;
  readonly isFirst: boolean;
  readonly isProduction: boolean;
};

/** Stand-ins for the modules that reach outside. */
export function recordedModules({
  http: recorded,
  fixtures,
  isFirst,
  isProduction,
}: World): Modules {
  const exchanges = list(exchange)(recorded, 'http');
  const answer = (method: string, url: Value | undefined): Value => {
    const found = exchanges.find(
      (one) => one.method.toLowerCase() === method && one.url === str(url ?? null),
    );
    if (found === undefined)
      return raise('ConnectionError', `no recorded answer of ${str(url ?? null)}`);
    return responses.wrap(
      jsonShape(JSON.parse(readFileSync(new URL(found.body_fixture, fixtures), 'utf8')), 'body'),
    );
  };
  const http = ['get', 'post'].map((method): [string, Value] => [
    method,
    nativeFunction(`${method}(url, params=, data=, json=, headers=, auth=, timeout=)`, (url) =>
      answer(method, url),
    ),
  ]);
  const requests = standardModules.get('requests');
  return new Map<string, Value>([
    [
      'requests',
      new PyModule('requests', [
        ...(requests instanceof PyModule ? requests.members : []),
        ...http,
      ]),
    ],
    ['psycopg2', new PyModule('psycopg2', [['connect', connect.wrap(nothing)]])],
    ...(isFirst ? [['random', firstRandom] as const] : []),
    ...(isProduction ? [['sqlalchemy', recordedSqlalchemy()] as const] : []),
  ]);
}

/** `sqlalchemy` with functions that make expressions instead of raising. */
function recordedSqlalchemy(): PyModule {
  const usual = standardModules.get('sqlalchemy');
  const names = [
    'func',
    'select',
    'and_',
    'or_',
    'not_',
    'case',
    'cast',
    'distinct',
    'desc',
    'asc',
    'literal',
  ];
  const own = names.map((name): [string, Value] => [name, expressions.wrap(nothing)]);
  return new PyModule('sqlalchemy', [...(usual instanceof PyModule ? usual.members : []), ...own]);
}

/** `with x as y:` gives the object itself. */
function managed(self: () => HostClass<Nothing>) {
  return {
    '__enter__()': () => self().wrap(nothing),
    '__exit__(a, b, c)': () => null,
    'close()': () => null,
  };
}
