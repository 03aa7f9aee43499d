import cors from 'cors';
import type { RequestHandler } from 'express';

/** What scripts of a portal may send and read besides what every script may. */
const SENT = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Range',
  'Last-Event-ID',
  'Range',
];
const READ = [
  'Allow',
  'Content-Disposition',
  'Content-Range',
  'Location',
  'Retry-After',
  'WWW-Authenticate',
  'X-VO-Authenticated',
];

/**
 * Lets scripts of the listed origins, and no others, talk to the service (CORS). Without
 * `Access-Control-Allow-Credentials`: a script has the credential that it sends itself, never one
 * that the browser remembers for this service.
 *
 * @param allowOrigins origins as browsers write them
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
    // It takes every OPTIONS for a preflight; those of others are for the routes.
    const isForRoutes =
      request.method === 'OPTIONS' && !origins.includes(request.headers.origin ?? '');
    if (origins.length === 0 || isForRoutes) next();
    else answer(request, response, next);
  };
}
