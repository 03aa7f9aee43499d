import type { RequestHandler } from 'express';
import type { Contract } from '../service-routes.ts';

const METHODS = new Set(['get', 'post', 'put', 'delete', 'patch']);

/** The value of Allow for these methods: HEAD comes with GET, OPTIONS always. */
export function allowed(methods: readonly string[]): string {
  const names = methods.map((method) => method.toUpperCase());
  return [...new Set([...names, ...(names.includes('GET') ? ['HEAD'] : []), 'OPTIONS'])]
    .toSorted()
    .join(', ');
}

/** A pattern of paths, and their value of Allow. */
export type Place = { readonly pattern: RegExp; readonly allow: string };

/**
 * Answers OPTIONS with the methods of the contract. The answer is the same for all clients, so no
 * client has to log in.
 */
export function answerOptions(contract: Contract, more: readonly Place[]): RequestHandler {
  const places = [...placesOf(contract), ...more];
  return (request, response, next) => {
    const place =
      request.method === 'OPTIONS'
        ? places.find(({ pattern }) => pattern.test(`${request.baseUrl}${request.path}`))
        : undefined;
    if (place === undefined) return next();
    response.status(204).set('Allow', place.allow).end();
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
