/** A host in a URL, with or without a port. */
const HOST = /^(?:[\w.~-]+|\[[\da-f:.]+\])(?::\d+)?$/i;

/**
 * The name in a host with or without a port, as browsers write it: lower case, addresses in their
 * usual form, IPv6 in brackets, no final dot. Undefined for a text without a name.
 */
export function hostNameOf(text: string): string | undefined {
  return HOST.test(text) ? URL.parse(`http://${text}`)?.hostname.replace(/\.$/, '') : undefined;
}

/** Is it this machine, by an address or a name that nobody else can own (RFC 6761)? */
export function isLoopback(name: string): boolean {
  return (
    name === 'localhost' ||
    name.endsWith('.localhost') ||
    name === '[::1]' ||
    /^127(?:\.\d+){3}$/.test(name)
  );
}
