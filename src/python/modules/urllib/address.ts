/** A part of an IPv4 address, without leading zeros. */
const OCTET = /^(?:0|[1-9]\d{0,2})$/;
const HEXTET = /^[0-9a-fA-F]{1,4}$/;

/** Whether a text is an IPv4 address. */
export function isIpv4(host: string): boolean {
  const octets = host.split('.');
  return octets.length === 4 && octets.every((octet) => OCTET.test(octet) && Number(octet) <= 255);
}

/**
 * Whether a host in brackets is an IPv6 address by Python's `ipaddress`, or one of a later version.
 */
export function mayBeBracketed(host: string): boolean {
  if (host.startsWith('v')) return /^v[a-fA-F0-9]+\.[^\n]+$/.test(host);
  const percent = host.indexOf('%');
  const zone = percent < 0 ? undefined : host.slice(percent + 1);
  if (zone === '' || zone?.includes('%') === true || host.includes('/')) return false;
  return isIpv6(percent < 0 ? host : host.slice(0, percent));
}

function isIpv6(address: string): boolean {
  const given = address.split(':');
  const last = given.at(-1) ?? '';
  if (given.length < 3 || (last.includes('.') && !isIpv4(last))) return false;
  const parts = last.includes('.') ? [...given.slice(0, -1), '0', '0'] : given;
  const inner = parts.slice(1, -1).filter((part) => part === '').length;
  if (parts.length > 9 || inner > 1 || !parts.every((part) => part === '' || HEXTET.test(part)))
    return false;
  const isOpen = (end: string | undefined): boolean => end === '';
  if (inner === 0) return parts.length === 8 && !isOpen(parts[0]) && !isOpen(parts.at(-1));
  // `::` at an end leaves a second empty part there.
  const gap = parts.indexOf('', 1);
  if ((isOpen(parts[0]) && gap !== 1) || (isOpen(parts.at(-1)) && gap !== parts.length - 2))
    return false;
  return parts.filter((part) => part !== '').length < 8;
}
