import type { RequestHandler } from 'express';
import type { Contract } from '../service-routes.ts';

const METHODS = new Set(['get', 'post', 'put', 'delete', 'patch']);

/** What Allow says where these methods are: HEAD is wherever GET is, OPTIONS everywhere. */
export function allowed(methods: readonly string[]): string {
  const names = methods.map((method) => method.toUpperCase());
  return [...new Set([...names, ...(names.includes('GET') ? ['HEAD'] : []), 'OPTIONS'])]
    .toSorted()
    .join(', ');
}

/** Paths, and what Allow says of them. */
export type Place = { readonly pattern: RegExp; readonly allow: string };

/**
 * Answers OPTIONS with the methods of the place, as the contract has them; the same for everybody,
 * so nobody has to say who asks.
 */
export function answerOptions(contract: Contract, more: readonly Place[] = []): RequestHandler {
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
    // The job list has a second name.
    pattern: new RegExp(
      `^${path
        .replaceAll('.', String.raw`\.`)
        .replaceAll(/\{\w+\}/g, '[^/]+')
        .replace(/^\/jobs/, '/(?:jobs|async)')}/?$`,
    ),
    allow: allowed(Object.keys(Object(operations)).filter((key) => METHODS.has(key))),
  }));
}
