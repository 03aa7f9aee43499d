import type { RequestHandler } from 'express';
import { Problem } from '../../words/problem.ts';
import type { Contract } from '../service-routes.ts';

const METHODS = new Set(['get', 'post', 'put', 'delete', 'patch']);

/** The value of Allow for these methods: HEAD comes with GET, OPTIONS always. */
export function allowed(methods: readonly string[]): string {
  const names = methods.map((method) => method.toUpperCase());
  return [...new Set([...names, ...(names.includes('GET') ? ['HEAD'] : []), 'OPTIONS'])]
    .toSorted()
    .join(', ');
}

/** For places that are only to be read and that the contract lacks: goes on with a GET alone. */
export const onlyToRead: RequestHandler = ({ method, path }, response, next) => {
  if (method === 'GET' || method === 'HEAD') return next();
  const allow = allowed(['GET']);
  if (method === 'OPTIONS') return void response.status(204).set('Allow', allow).end();
  throw new Problem(
    'method-not-allowed',
    `${method} is not allowed at ${path}; allowed are ${allow}.`,
    { headers: { Allow: allow } },
  );
};

/** A pattern of paths, and their value of Allow. */
export type Place = { readonly pattern: RegExp; readonly allow: string };

/**
 * Answers OPTIONS with the methods of the contract. The answer is the same for all clients, so no
 * client has to log in.
 */
export function answerOptions(contract: Contract, more: readonly Place[]): RequestHandler {
  const places = [...placesOf(contract), ...more];
  const ofAll = [...new Set(places.flatMap(({ allow }) => allow.split(', ')))]
    .toSorted()
    .join(', ');
  return (request, response, next) => {
    if (request.method !== 'OPTIONS') return next();
    // `*` is the service as a whole (RFC 9110 § 9.3.7).
    const allow =
      request.url === '*'
        ? ofAll
        : places.find(({ pattern }) => pattern.test(`${request.baseUrl}${request.path}`))?.allow;
    if (allow === undefined) return next();
    response.status(204).set('Allow', allow).end();
  };
}

function placesOf({ document }: Contract): readonly Place[] {
  return Object.entries(Object(document).paths ?? {}).map(([path, operations]) => ({
    // The job list has two names.
    pattern: new RegExp(
      `^${path
        .replaceAll('.', String.raw`\.`)
        .replaceAll(/\{\w+\}/g, '[^/]+')
        .replace(/^\/jobs/, '/(?:jobs|async)')}/?$`,
    ),
    allow: allowed(Object.keys(Object(operations)).filter((key) => METHODS.has(key))),
  }));
}
