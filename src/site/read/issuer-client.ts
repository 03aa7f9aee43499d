import { resolve } from 'node:path';
import type { Node, Reader } from '../../yaml/index.ts';
import { seconds, type Seconds } from '../../words/units.ts';
import { readDuration } from '../../yaml/fields.ts';

/** The service as a client of an issuer, for signing in with a browser. */
export type IssuerClient = {
  readonly id: string;
  /** absolute path of the file with the client's secret */
  readonly secret: string;
  readonly scopes: readonly string[];
  /** how long a sign-in lasts; undefined: as long as its ID token */
  readonly lifetime: Seconds | undefined;
};

/** The keys of an issuer that make the service its client. */
export const CLIENT_KEYS = ['client-id', 'client-secret', 'scopes', 'sign-in-lifetime'] as const;

type Found = Readonly<Partial<Record<(typeof CLIENT_KEYS)[number] | 'device-client-id', Node>>>;

/** A working day: no sign-in lasts longer. */
const LONGEST = seconds(12 * 3600);
const SCOPES = ['openid', 'profile', 'email'];
/** RFC 6749 § 3.3 */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/**
 * Reads how the service is a client of an issuer. The secret stays in its file: the text of the
 * site file is in the database, too.
 *
 * @param node the issuer
 * @returns undefined for an issuer where no browser signs in
 */
export function readClient(
  reader: Reader,
  node: Node,
  found: Found,
  {
    what,
    folder,
    scopes,
  }: { readonly what: string; readonly folder: string; readonly scopes: readonly string[] },
): IssuerClient | undefined {
  const other = CLIENT_KEYS.find(
    (key) => found[key] !== undefined && !(key === 'scopes' && found['device-client-id']),
  );
  if (other === undefined) return undefined;
  const id = reader.expectString(found['client-id'], `${what}.client-id`);
  const secret = reader.expectString(found['client-secret'], `${what}.client-secret`);
  const lifetime = readLifetime(reader, found['sign-in-lifetime'], `${what}.sign-in-lifetime`);
  if (found['client-id'] === undefined || found['client-secret'] === undefined)
    return reader.problem(
      node,
      `${what} has ${other}, but not both client-id and client-secret`,
      'client-id: as the issuer registered it; client-secret: path of a file with the secret',
    );
  return id === undefined || secret === undefined
    ? undefined
    : { id, secret: resolve(folder, secret), scopes, lifetime };
}

/** The scopes that clients of an issuer ask for. */
export function readScopes(
  reader: Reader,
  node: Node | undefined,
  what: string,
): readonly string[] {
  if (node === undefined) return SCOPES;
  const scopes = reader.expectStrings(node, what) ?? [];
  if (!scopes.includes('openid') || !scopes.every((scope) => SCOPE.test(scope)))
    reader.problem(node, `${what} must have openid, and no blanks`, '[openid, email, groups]');
  return scopes;
}

function readLifetime(reader: Reader, node: Node | undefined, what: string): Seconds | undefined {
  if (node === undefined) return undefined;
  const lifetime = readDuration(reader, node, what, LONGEST);
  if (lifetime > LONGEST) reader.problem(node, `${what} must be at most PT12H`);
  return lifetime;
}
