import ipaddr from 'ipaddr.js';

// Azure answers its virtual machines at this public address (credentials,
// like 169.254.169.254 elsewhere).
const AZURE_WIRE_SERVER = '168.63.129.16';

/**
 * Addresses of the public Internet: everything else is loopback, private,
 * link-local, multicast or reserved.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast') return false;
  // ipaddr calls the unassigned rest of IPv6 unicast too, and with it
  // ::127.0.0.1; only 2000::/3 is global.
  if (parsed.kind() === 'ipv6') return (Number(parsed.toByteArray()[0]) & 0xe0) === 0x20;
  return parsed.toString() !== AZURE_WIRE_SERVER;
}

/** True for `192.0.2.7` and `2001:db8::7`, false for names. */
export function isAddress(text: string): boolean {
  return ipaddr.isValid(text);
}

/**
 * The address or network that a text names, as `address/bits`; undefined for anything
 * else. `10.0.0.8` is one address.
 */
export function networkOfAddress(text: string): string | undefined {
  if (ipaddr.isValidCIDR(text)) return text;
  if (!ipaddr.isValid(text)) return undefined;
  const address = ipaddr.process(text);
  return `${address.toString()}/${address.kind() === 'ipv6' ? 128 : 32}`;
}

/** True when the address is in one of the networks (`address/bits`). */
export function isInside(address: string, networks: readonly string[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return networks.some((network) => {
    const [base, bits] = ipaddr.parseCIDR(network);
    return base.kind() === parsed.kind() && parsed.match(base, bits);
  });
}

/** Host of a URL without the brackets of IPv6 and without the dot that ends a full DNS name. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

/** Port of a URL, also where it is that of its scheme. */
export function portOf(url: URL): string {
  return url.port || (url.protocol === 'https:' ? '443' : '80');
}
