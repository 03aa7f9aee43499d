import { isIP } from 'node:net';
import type { Request } from 'express';
import type { Settings } from '../../settings.ts';
import { shown } from '../../tasks/task.ts';
import { hostNameOf, isLoopback } from '../../words/host-name.ts';
import { Problem } from '../../words/problem.ts';

/**
 * Allows requests only to the hosts of this service: loopback, `PUBLIC_URL`, `HOST`, the address of
 * the connection, and `HOSTS`. Any other name that leads here belongs to another site, whose pages
 * the browser would take for pages of this service (DNS rebinding). The check covers both the host
 * that a proxy names and the proxy's own, because a page can choose both.
 *
 * A request without Host, as HTTP/1.0 allows, passes: every browser sends a Host.
 *
 * @returns a check that throws Problem `host-unknown` (421), or `parameter-invalid` (400) for a
 * Host that is malformed or given twice
 */
export function ownHosts({
  publicUrl,
  host: bound,
  hosts,
}: Pick<Settings, 'publicUrl' | 'host' | 'hosts'>) {
  const own = [
    ...hosts,
    ...(publicUrl === undefined ? [] : [new URL(publicUrl).host]),
    ...(isIP(bound) === 0 ? [bound] : []),
  ];
  const names = new Set(own.map(hostNameOf));
  // Most clients repeat the same host.
  let last: string | undefined;
  const check = (header: string, host: string, request: Request): void => {
    if (host === last) return;
    const name = hostNameOf(host);
    if (name === undefined)
      throw new Problem(
        'parameter-invalid',
        `The header ${header}, '${shown(host)}', does not name a host ` +
          "such as 'planner.example.org:8080'.",
      );
    if (isLoopback(name) || names.has(name)) {
      last = host;
      return;
    }
    if (name === arrivedAt(request)) return;
    throw new Problem(
      'host-unknown',
      `This service does not have the name '${shown(host)}' (${header}); ` +
        'its operator sets its names with HOSTS or PUBLIC_URL.',
    );
  };
  return (request: Request): void => {
    const { host } = request.headers;
    if (isGivenTwice(request))
      throw new Problem(
        'parameter-invalid',
        'The header Host is given twice; it must be given once.',
      );
    if (host !== undefined) check('Host', host, request);
    // Includes X-Forwarded-Host when Express trusts the proxy.
    const { host: forwarded } = request;
    if (forwarded !== undefined && forwarded !== host)
      check('X-Forwarded-Host', forwarded, request);
  };
}

/**
 * The address at which the connection arrived: a name can be made to lead here, an address cannot.
 */
function arrivedAt({ socket: { localAddress = '' } }: Request): string {
  if (localAddress.includes('.')) return localAddress.replace(/^::ffff:/, '');
  // The interface of a link-local address is known to this machine alone (RFC 6874 § 3).
  return `[${localAddress.replace(/%.*/, '')}]`;
}

/** Node keeps the first of several Hosts; a proxy may have checked another one (RFC 9112 § 3.2). */
function isGivenTwice({ rawHeaders }: Request): boolean {
  let found = 0;
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.toLowerCase() === 'host') found += 1;
  return found > 1;
}
