import type { Request } from 'express';
import { Problem } from '../../words/problem.ts';

/** Segments that need no encoding; a second proxy's list is none. */
const PREFIX = /^(?:\/(?!\.\.?(?:\/|$))[\w.~-]+)+$/;

/**
 * Below which path a proxy that Express trusts serves us, when it takes
 * that path away; otherwise nothing.
 */
export function prefixOf(request: Request): string {
  const prefix = request.get('x-forwarded-prefix')?.replace(/\/+$/, '');
  if (prefix === undefined || !PREFIX.test(prefix)) return '';
  const trusts: unknown = request.app.get('trust proxy fn');
  return typeof trusts === 'function' && trusts(request.socket.remoteAddress, 0) === true
    ? prefix
    : '';
}

/**
 * URL of the service as the client used it, without a slash at its end: `PUBLIC_URL`, else what the
 * request names, with X-Forwarded-Proto, -Host and -Prefix where Express trusts the proxy.
 *
 * @throws Problem `parameter-invalid` when it names no host, as HTTP/1.0 allows
 */
export function baseUrlOf(publicUrl: string | undefined) {
  return (request: Request): string =>
    publicUrl ?? `${request.protocol}://${hostOf(request)}${prefixOf(request)}`;
}

function hostOf({ host }: Request): string {
  if (host === undefined)
    throw new Problem(
      'parameter-invalid',
      'The header Host is missing; it names the host of the links in the answer.',
    );
  return host;
}
