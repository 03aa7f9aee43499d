import cors from 'cors';
import type { RequestHandler } from 'express';

/** Headers that scripts of a portal may send and read besides the standard ones. */
const SENT = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'If-Range',
  'Last-Event-ID',
  'Prefer',
  'Range',
  'Want-Repr-Digest',
];
const READ = [
  'API-Version',
  'Allow',
  'Content-Disposition',
  'Content-Range',
  'ETag',
  'Link',
  'Location',
  'Preference-Applied',
  'Repr-Digest',
  'Retry-After',
  'WWW-Authenticate',
  'X-Request-Id',
  'X-VO-Authenticated',
];

/**
 * Lets scripts of the listed origins use the service (CORS), and no others. Omits
 * `Access-Control-Allow-Credentials`: a script uses the credential that it sends itself, never one
 * that the browser remembers for this service.
 *
 * @param allowOrigins origins in the form that browsers send
 */
export function answerPortals(allowOrigins: () => readonly string[]): RequestHandler {
  const answer = cors({
    origin: (_origin, done) => done(null, [...allowOrigins()]),
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
    allowedHeaders: SENT,
    exposedHeaders: READ,
    maxAge: 600,
  });
  return (request, response, next) => {
    const origins = allowOrigins();
    // `cors` takes every OPTIONS for a preflight, but requests of other origins are for the routes.
    const isForRoutes =
      request.method === 'OPTIONS' && !origins.includes(request.headers.origin ?? '');
    if (origins.length === 0 || isForRoutes) next();
    else answer(request, response, next);
  };
}
