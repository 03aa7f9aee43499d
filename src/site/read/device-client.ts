import type { Node, Reader } from '../../yaml/index.ts';

/** A public client of an issuer, with which programs without a browser sign in (RFC 8628). */
export type DeviceClient = {
  readonly id: string;
  readonly scopes: readonly string[];
  /**
   * what the token is for (RFC 8707), so that its `aud` is one that the service takes; undefined:
   * the issuer knows by the client
   */
  readonly resource: string | undefined;
};

/** The keys of an issuer that name this client. */
export const DEVICE_KEYS = ['device-client-id', 'device-resource'] as const;

type Found = Readonly<Partial<Record<(typeof DEVICE_KEYS)[number], Node>>>;

/**
 * Reads how programs sign in at an issuer.
 *
 * @param what the issuer's place
 * @param issuer the audiences that the service takes, and the scopes that clients ask for
 * @returns undefined where programs bring tokens of their own
 */
export function readDeviceClient(
  reader: Reader,
  found: Found,
  what: string,
  {
    audience,
    scopes,
  }: { readonly audience: readonly string[]; readonly scopes: readonly string[] },
): DeviceClient | undefined {
  const [idNode, resourceNode] = [found['device-client-id'], found['device-resource']];
  const id = reader.expectString(idNode, `${what}.device-client-id`);
  const told = readResource(reader, resourceNode, `${what}.device-resource`);
  if (idNode === undefined && resourceNode !== undefined)
    return reader.problem(resourceNode, `${what} has device-resource, but no device-client-id`);
  if (idNode !== undefined && id === '')
    reader.problem(idNode, `${what}.device-client-id must not be empty`);
  return id === undefined ? undefined : { id, scopes, resource: told ?? resourceIn(audience) };
}

/** Issuers that know RFC 8707 take URIs only. */
function resourceIn(audience: readonly string[]): string | undefined {
  const [first = ''] = audience;
  return isResource(first) ? first : undefined;
}

function readResource(reader: Reader, node: Node | undefined, what: string): string | undefined {
  const text = reader.expectString(node, what);
  if (node === undefined || text === undefined || isResource(text)) return text;
  return reader.problem(
    node,
    `${what} cannot be '${text}'`,
    'an absolute URI without fragment, such as https://planner.example.org',
  );
}

function isResource(text: string): boolean {
  const uri = URL.parse(text);
  return uri !== null && uri.hash === '' && !text.includes('#');
}
