/** A host as URLs write it, with or without a port. */
const HOST = /^(?:[\w.~-]+|\[[\da-f:.]+\])(?::\d+)?$/i;

/**
 * The name of a host, with or without a port, as browsers write it: lower case, addresses in their
 * usual form, IPv6 in brackets, no dot at the end. Undefined when the text names none.
 */
export function hostNameOf(text: string): string | undefined {
  return HOST.test(text) ? URL.parse(`http://${text}`)?.hostname.replace(/\.$/, '') : undefined;
}

/**
 * Is it this machine as seen from itself, by a name that nobody else
 * can own (RFC 6761) or an address?
 */
export function isLoopback(name: string): boolean {
  return (
    name === 'localhost' ||
    name.endsWith('.localhost') ||
    name === '[::1]' ||
    /^127(?:\.\d+){3}$/.test(name)
  );
}
