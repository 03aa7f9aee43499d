/**
 * The identifier in an identifier or in an address. The service may name itself otherwise than its
 * client does, so of an address only the identifier counts: requests go to the client's own service.
 *
 * @param folder what stands before the identifier in an address, such as `jobs`
 * @param base the service's address, whose own path may have a folder of that name
 * @throws TypeError it is the address of something else
 */
export function identIn(text: string, folder: string, base: string): string {
  if (!text.includes('/')) return text;
  const [place, own] = [pathOf(text), pathOf(`${base}/`)];
  const path = place.startsWith(own) ? place.slice(own.length) : place;
  const parts = path.split('/').filter((part) => part !== '');
  const ident = parts.find((_, at) => parts[at - 1] === folder);
  if (ident === undefined) throw new TypeError(`'${text}' is no address of one of the ${folder}`);
  return decodeURIComponent(ident);
}

/** Refuses what would lead elsewhere, escaped or not. @throws TypeError */
export function requireIdentifier(name: string): void {
  if (/^\.{0,2}$/.test(name)) throw new TypeError(`'${name}' is no identifier`);
}

function pathOf(address: string): string {
  return address.replace(/^https?:\/\/[^/]*/i, '').replace(/[?#].*$/s, '');
}
