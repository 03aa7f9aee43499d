/** An address as some proxies forward it, with the port of the connection. */
const WITH_PORT = /^(?:\[([^\]]*)\](?::\d+)?|([\d.]+):\d+)$/;

/**
 * The network of an address: one IPv6 customer has at least a /64 of addresses, and one client has
 * all ports.
 */
export function networkOf(forwarded: string): string {
  const [, ipv6, ipv4] = WITH_PORT.exec(forwarded) ?? [];
  const address = ipv6 ?? ipv4 ?? forwarded;
  return address.includes(':') && !address.includes('.')
    ? expandIpv6(address).slice(0, 4).join(':')
    : address;
}

function expandIpv6(address: string): readonly string[] {
  const [head = '', tail = ''] = address.split('::');
  const [front, back] = [head.split(':').filter(Boolean), tail.split(':').filter(Boolean)];
  return [
    ...front,
    ...Array.from({ length: Math.max(0, 8 - front.length - back.length) }, () => '0'),
    ...back,
  ];
}
