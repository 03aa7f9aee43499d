import ipaddr from 'ipaddr.js';

// Azure's virtual machines get credentials from this public address, like 169.254.169.254
// elsewhere.
const AZURE_WIRE_SERVER = '168.63.129.16';

/**
 * Is it an address of the public Internet? All others are loopback, private, link-local, multicast
 * or reserved.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast') return false;
  // ipaddr counts unassigned IPv6 addresses such as ::127.0.0.1 as unicast; only 2000::/3 is
  // global.
  if (parsed.kind() === 'ipv6') return (Number(parsed.toByteArray()[0]) & 0xe0) === 0x20;
  return parsed.toString() !== AZURE_WIRE_SERVER;
}

/** True for `192.0.2.7` and `2001:db8::7`, false for names. */
export function isAddress(text: string): boolean {
  return ipaddr.isValid(text);
}

/**
 * The address or network in a text, as `address/bits`; undefined for anything else. `10.0.0.8` is
 * one address.
 */
export function networkOfAddress(text: string): string | undefined {
  if (ipaddr.isValidCIDR(text)) return text;
  if (!ipaddr.isValid(text)) return undefined;
  const address = ipaddr.process(text);
  return `${address.toString()}/${address.kind() === 'ipv6' ? 128 : 32}`;
}

/** Is the address in one of the networks (`address/bits`)? */
export function isInside(address: string, networks: readonly string[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return networks.some((network) => {
    const [base, bits] = ipaddr.parseCIDR(network);
    return base.kind() === parsed.kind() && parsed.match(base, bits);
  });
}

/** The host of a URL without the brackets of IPv6 and without the final dot of a full DNS name. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

/** The port of a URL; the default of its scheme if it names none. */
export function portOf(url: URL): string {
  return url.port || (url.protocol === 'https:' ? '443' : '80');
}
