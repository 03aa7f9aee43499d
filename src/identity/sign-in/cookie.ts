import { isLoopback } from '../../words/host-name.ts';

/** A cookie's name, and what follows its value in Set-Cookie. */
export type Cookie = { readonly name: string; readonly attributes: string };

/** It is a / of the path; a name has it for nothing else. */
const PART = '~';
const ATTRIBUTES = 'Path=/; HttpOnly; SameSite=Lax';

/**
 * A cookie of the service at this URL. `__Host-` forbids other hosts of the domain to set it (RFC
 * 6265bis § 4.1.3) and demands the path `/`, so the path of the service is in the name: several
 * planners of one host keep apart.
 *
 * @param base URL of the service, without a final slash
 * @param suffix ends the name
 * @returns undefined where a network could read the cookie: without TLS, except on loopback
 */
export function cookieAt(base: string, suffix = ''): Cookie | undefined {
  const { protocol, hostname, pathname } = new URL(base);
  const place = pathname
    .replace(/\/+$/, '')
    .replaceAll(/[^\w.%/-]/g, (one) => `%${Buffer.from(one).toString('hex').toUpperCase()}`)
    .replaceAll('/', PART);
  const name = `planner${place}${suffix}`;
  if (protocol === 'https:') return { name: `__Host-${name}`, attributes: `${ATTRIBUTES}; Secure` };
  return isLoopback(hostname) ? { name, attributes: ATTRIBUTES } : undefined;
}

/** A header Set-Cookie. @param seconds how long the browser keeps it; undefined: until it closes */
export function setCookie({ name, attributes }: Cookie, value: string, seconds?: number): string {
  const age = seconds === undefined ? '' : `; Max-Age=${seconds}`;
  return `${name}=${value}; ${attributes}${age}`;
}

/** A header Set-Cookie that removes the cookie. */
export function removeCookie(cookie: Cookie): string {
  return setCookie(cookie, '', 0);
}

/**
 * The value of a cookie in a header Cookie; empty if it is given more than once, because nobody
 * knows which of them the service set.
 */
export function cookieIn(header: string | undefined, name: string): string | undefined {
  if (header === undefined || !header.includes(name)) return undefined;
  const values = header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  return values.length > 1 ? '' : values[0];
}
