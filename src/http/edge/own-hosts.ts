import { isIP } from 'node:net';
import type { Request } from 'express';
import type { Settings } from '../../settings.ts';
import { shown } from '../../tasks/task.ts';
import { hostNameOf, isLoopback } from '../../words/host-name.ts';
import { Problem } from '../../words/problem.ts';

/**
 * Holds requests to the hosts of this service: those of loopback, that of `PUBLIC_URL`, `HOST`, the
 * address at which the connection arrived, and `HOSTS`. Any other name that leads here is somebody
 * else's, whose pages a browser takes for ours (DNS rebinding). A host that a proxy names is held
 * to the same list, and its own too: a page can say both.
 *
 * Without a Host, as HTTP/1.0 allows, nobody is refused: every browser sends one.
 *
 * @returns a check that throws Problem `host-unknown` (421), `parameter-invalid`
 * (400) when it names no host, or two
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
  // Clients ask for the same host again and again.
  let last: string | undefined;
  const check = (header: string, host: string, request: Request): void => {
    if (host === last) return;
    const name = hostNameOf(host);
    if (name === undefined)
      throw new Problem(
        'parameter-invalid',
        `The header ${header}, '${shown(host)}', does not name a host; 'planner.example.org:8080' would.`,
      );
    if (isLoopback(name) || names.has(name)) {
      last = host;
      return;
    }
    if (name === arrivedAt(request)) return;
    throw new Problem(
      'host-unknown',
      `This service is not called '${shown(host)}' (${header}); its operator gives it names with HOSTS or PUBLIC_URL.`,
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
    // With X-Forwarded-Host where Express trusts the proxy.
    const { host: forwarded } = request;
    if (forwarded !== undefined && forwarded !== host)
      check('X-Forwarded-Host', forwarded, request);
  };
}

/**
 * The address at which a connection arrived: a name can be made to lead here, an address cannot.
 */
function arrivedAt({ socket: { localAddress = '' } }: Request): string {
  return localAddress.includes('.') ? localAddress.replace(/^::ffff:/, '') : `[${localAddress}]`;
}

/**
 * Node keeps the first Host of several; a proxy may have looked at another one (RFC 9112 § 3.2).
 */
function isGivenTwice({ rawHeaders }: Request): boolean {
  let found = 0;
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.toLowerCase() === 'host') found += 1;
  return found > 1;
}
