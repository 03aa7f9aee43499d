import type { Request } from 'express';
import { shown } from '../tasks/task.ts';
import { Problem } from '../words/problem.ts';

/** Segments that need no encoding; a second proxy's list is none. */
const PREFIX = /^(?:\/(?!\.\.?(?:\/|$))[\w.~-]+)+$/;
/** A host as URLs write it, with or without a port; with anything else every link of an answer would be another one. */
const HOST = /^(?:[\w.~-]+|\[[\da-f:.]+\])(?::\d+)?$/i;

/** Below which path a proxy that Express trusts serves us, when it takes that path away; otherwise nothing. */
const prefixOf = (request: Request): string => {
  const prefix = request.get('x-forwarded-prefix')?.replace(/\/+$/, '');
  if (prefix === undefined || !PREFIX.test(prefix)) return '';
  const trusts: unknown = request.app.get('trust proxy fn');
  return typeof trusts === 'function' && trusts(request.socket.remoteAddress, 0) === true ? prefix : '';
};

const hostOf = ({ host }: Request): string => {
  if (!HOST.test(host)) throw new Problem('parameter-invalid', `The header Host, '${shown(host)}', does not name a host; 'planner.example.org:8080' would.`);
  return host;
};

/**
 * URL of the service as the client used it, without a slash at its end: `PUBLIC_URL`, else what the request names, with
 * X-Forwarded-Proto, -Host and -Prefix where Express trusts the proxy.
 *
 * @throws Problem `parameter-invalid` when it names no host (RFC 9112 § 3.2)
 */
export const baseUrlOf = (publicUrl: string | undefined) => (request: Request): string =>
  publicUrl ?? `${request.protocol}://${hostOf(request)}${prefixOf(request)}`;
