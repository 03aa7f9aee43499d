import type { Request } from 'express';

/** Segments that need no encoding; a second proxy's list is none. */
const PREFIX = /^(?:\/[\w.~-]+)+$/;

/** Below which path a proxy that Express trusts serves us, when it takes that path away; otherwise nothing. */
const prefixOf = (request: Request): string => {
  const prefix = request.get('x-forwarded-prefix')?.replace(/\/+$/, '');
  if (prefix === undefined || !PREFIX.test(prefix)) return '';
  const trusts: unknown = request.app.get('trust proxy fn');
  return typeof trusts === 'function' && trusts(request.socket.remoteAddress, 0) === true ? prefix : '';
};

/**
 * URL of the service as the client used it, without a slash at its end: `PUBLIC_URL`, else what the request names, with
 * X-Forwarded-Proto, -Host and -Prefix where Express trusts the proxy.
 */
export const baseUrlOf = (publicUrl: string | undefined) => (request: Request): string =>
  publicUrl ?? `${request.protocol}://${request.host}${prefixOf(request)}`;
