import type { Request } from 'express';
import { Problem } from '../../words/problem.ts';

/** Path segments that need no encoding. A list of prefixes from a second proxy does not match. */
const PREFIX = /^((?:\/(?!\.\.?(?:\/|$))[\w.~-]+)+)\/*$/;

/**
 * The path below which a trusted proxy serves the service and which it removes from requests; else
 * an empty text.
 */
export function prefixOf(request: Request): string {
  const [, prefix] = PREFIX.exec(request.get('x-forwarded-prefix') ?? '') ?? [];
  if (prefix === undefined) return '';
  const trusts: unknown = request.app.get('trust proxy fn');
  return typeof trusts === 'function' && trusts(request.socket.remoteAddress, 0) === true
    ? prefix
    : '';
}

/**
 * URL of the service as the client used it, without a final slash: `PUBLIC_URL`, or else what the
 * request names, with X-Forwarded-Proto, -Host and -Prefix of a proxy that Express trusts.
 *
 * @throws Problem `parameter-invalid` for a request without a host, as HTTP/1.0 allows
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
