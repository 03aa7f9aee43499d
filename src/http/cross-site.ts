import type { RequestHandler } from 'express';
import { Problem } from '../words/problem.ts';

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * A page of another site cannot change anything with the password that a browser remembers for this one: browsers say
 * where a request comes from (Fetch Metadata), other clients do not send the header.
 *
 * @throws Problem `cross-site-request` (403).
 */
export const refuseCrossSite: RequestHandler = (request, _response, next) => {
  const site = request.headers['sec-fetch-site'];
  if (!SAFE.has(request.method) && (site === 'cross-site' || site === 'same-site')) {
    throw new Problem('cross-site-request', 'A page of another site sent this request; only pages of this service may.');
  }
  next();
};
