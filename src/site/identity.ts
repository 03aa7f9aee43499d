import { resolve } from 'node:path';
import type { Node, Reader } from '../yaml/index.ts';
import { DEVICE_KEYS, readDeviceClient, type DeviceClient } from './read/device-client.ts';
import { CLIENT_KEYS, readClient, readScopes, type IssuerClient } from './read/issuer-client.ts';

/** A bearer token of the site file, which has only its SHA-256. */
export type SiteToken = {
  readonly sha256: string;
  readonly user: string;
  readonly roles: readonly string[];
};

/** Signature algorithms with public keys. Shared secrets and unsigned tokens are never accepted. */
const SIGNATURE_ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const;
type SignatureAlgorithm = (typeof SIGNATURE_ALGORITHMS)[number];

/** A claim by the names that lead to it: `['realm_access', 'roles']`. */
export type ClaimPath = readonly string[];

/** An OpenID Connect issuer whose tokens this site accepts. */
export type OidcIssuer = {
  /** compared to the claim `iss` character by character */
  readonly issuer: string;
  /** the token's `aud` must contain one of these */
  readonly audience: readonly string[];
  /** its name for people */
  readonly name: string;
  /** undefined: the e-mail, unless the issuer marks it as unverified, or else the subject */
  readonly userClaim: ClaimPath | undefined;
  /** undefined: its users have no roles */
  readonly groupsClaim: ClaimPath | undefined;
  /** prefix of every group, so that groups of two issuers cannot become the same role */
  readonly rolePrefix: string;
  readonly algorithms: readonly SignatureAlgorithm[];
  /** undefined: only bearer tokens, nobody signs in there with a browser */
  readonly client: IssuerClient | undefined;
  /** undefined: programs are not told how to get a token there */
  readonly device: DeviceClient | undefined;
};

/** Who may ask, and how they prove who they are. */
export type IdentityTerms = {
  /** may clients ask without a credential? */
  readonly anonymous: boolean;
  readonly tokens: readonly SiteToken[];
  readonly oidc: readonly OidcIssuer[];
  /** absolute path of the password file; undefined: no Basic authentication */
  readonly passwords: string | undefined;
  /** these roles may see and stop the jobs of others */
  readonly administrators: readonly string[];
  /**
   * more WWW-Authenticate headers, sent as they are: ways to log in that lead to one of the above
   */
  readonly challenges?: readonly string[] | undefined;
};

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** May keys be fetched from this URL? Over plain HTTP an attacker on the way could insert keys. */
export function isTrustworthyUrl(url: URL | null): boolean {
  return (
    url !== null &&
    url.username === '' &&
    url.password === '' &&
    (url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.has(url.hostname)))
  );
}

const OIDC_KEYS = [
  'issuer',
  'audience',
  'name',
  'user-claim',
  'groups-claim',
  'role-prefix',
  'algorithms',
  ...CLIENT_KEYS,
  ...DEVICE_KEYS,
] as const;

/** A scheme with its parameters (RFC 9110 § 11.6.1), each value in quotes. */
const CHALLENGE = /^[a-z][\w.-]*(?: [a-z][\w-]*="[^"\\]*"(?:, ?[a-z][\w-]*="[^"\\]*")*)?$/i;
const QUOTABLE = /^[\x20-\x7e]+$/;

/**
 * Reads the section `identity`.
 *
 * @param folder of the site file; the path of the password file is relative to it
 */
export function readIdentity(
  reader: Reader,
  node: Node | undefined,
  folder: string,
): IdentityTerms {
  const found = reader.section(node, 'identity', [
    'anonymous',
    'tokens',
    'oidc',
    'basic',
    'administrators',
    'challenges',
  ]);
  const passwords = reader.expectString(found.basic, 'identity.basic');
  return {
    anonymous: reader.expectBool(found.anonymous, 'identity.anonymous') ?? true,
    tokens: readTokens(reader, found.tokens),
    oidc: readIssuers(reader, found.oidc, folder),
    passwords: passwords === undefined ? undefined : resolve(folder, passwords),
    administrators: reader.expectStrings(found.administrators, 'identity.administrators') ?? [],
    challenges: readChallenges(reader, found.challenges),
  };
}

function readTokens(reader: Reader, node: Node | undefined): readonly SiteToken[] {
  const items = reader.expectSeq(node, 'identity.tokens')?.items ?? [];
  const tokens = items.map((item, index) => readToken(reader, item, `identity.tokens[${index}]`));
  tokens.forEach((one, index) => {
    const twin = tokens.findIndex((other) => other !== undefined && other.sha256 === one?.sha256);
    const item = items[index];
    if (twin >= 0 && twin < index && item !== undefined)
      reader.problem(
        item,
        `identity.tokens[${index}] has the token of identity.tokens[${twin}]`,
        'a token says who somebody is, so it is that of one user',
      );
  });
  return tokens.filter((token) => token !== undefined);
}

function readToken(reader: Reader, node: Node, what: string): SiteToken | undefined {
  const found = reader.fields(node, what, ['sha256', 'user', 'roles']);
  if (found === undefined) return undefined;
  const roles = found.roles ? reader.expectStrings(found.roles, `${what}.roles`) : [];
  const user = reader.expectString(found.user, `${what}.user`);
  const sha256 = reader.expectString(found.sha256, `${what}.sha256`)?.toLowerCase();
  if (found.user === undefined) reader.problem(node, `${what} must name its user`);
  if (sha256 === undefined || !/^[0-9a-f]{64}$/.test(sha256)) {
    return reader.problem(
      found.sha256 ?? node,
      `${what}.sha256 must be the SHA-256 of the token, 64 hexadecimal digits`,
      "printf %s 'the token' | sha256sum",
    );
  }
  return user === undefined || roles === undefined ? undefined : { sha256, user, roles };
}

function readIssuers(
  reader: Reader,
  node: Node | undefined,
  folder: string,
): readonly OidcIssuer[] {
  const items = reader.expectSeq(node, 'identity.oidc')?.items ?? [];
  const issuers = items.map((item, index) =>
    readIssuer(reader, item, `identity.oidc[${index}]`, folder),
  );
  issuers.forEach((one, index) => {
    const twin = issuers.findIndex((other) => other !== undefined && other.issuer === one?.issuer);
    const item = items[index];
    const namesake = issuers.findIndex((other) => other?.name === one?.name);
    if (namesake < index && item !== undefined && one?.client !== undefined)
      reader.problem(
        item,
        `identity.oidc[${index}] has the name of identity.oidc[${namesake}]`,
        'browsers sign in at an issuer by its name',
      );
    if (twin >= 0 && twin < index && item !== undefined) {
      reader.problem(
        item,
        `identity.oidc[${index}] has the issuer of identity.oidc[${twin}]`,
        'list every audience of an issuer at one place',
      );
    }
  });
  return issuers.filter((issuer) => issuer !== undefined);
}

function readIssuer(
  reader: Reader,
  node: Node,
  what: string,
  folder: string,
): OidcIssuer | undefined {
  const found = reader.fields(node, what, OIDC_KEYS);
  if (found === undefined) return undefined;
  reader.requireKeys(node, what, found, ['issuer', 'audience']);
  const issuer = found.issuer && readIssuerUrl(reader, found.issuer, `${what}.issuer`);
  const audience = found.audience ? readTexts(reader, found.audience, `${what}.audience`) : [];
  const scopes = readScopes(reader, found.scopes, `${what}.scopes`);
  if (issuer === undefined) return undefined;
  return {
    issuer,
    audience,
    name: reader.expectString(found.name, `${what}.name`) ?? issuer,
    userClaim: readClaim(reader, found['user-claim'], `${what}.user-claim`),
    groupsClaim: readClaim(reader, found['groups-claim'], `${what}.groups-claim`),
    rolePrefix: reader.expectString(found['role-prefix'], `${what}.role-prefix`) ?? '',
    algorithms: readAlgorithms(reader, found.algorithms, `${what}.algorithms`),
    client: readClient(reader, node, found, { what, folder, scopes }),
    device: readDeviceClient(reader, found, what, { audience, scopes }),
  };
}

function readIssuerUrl(reader: Reader, node: Node, what: string): string | undefined {
  const text = reader.expectString(node, what);
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  if (
    url !== null &&
    isTrustworthyUrl(url) &&
    url.search === '' &&
    url.hash === '' &&
    text.length <= 500
  )
    return text;
  return reader.problem(
    node,
    `${what} cannot be '${text}'`,
    'an https URL without query, exactly as the claim iss of its tokens has it; http only on this machine',
  );
}

function readTexts(reader: Reader, node: Node, what: string): readonly string[] {
  const texts =
    node.kind === 'seq'
      ? reader.expectStrings(node, what)
      : [reader.expectString(node, what) ?? ''];
  if (texts !== undefined && texts.length > 0 && texts.every((text) => text !== '')) return texts;
  reader.problem(node, `${what} must not be empty`);
  return [];
}

/**
 * A name, or a list of nested names. A text is never split, since names of claims may have dots and
 * slashes.
 */
function readClaim(reader: Reader, node: Node | undefined, what: string): ClaimPath | undefined {
  if (node === undefined) return undefined;
  const path =
    node.kind === 'seq'
      ? reader.expectStrings(node, what)
      : [reader.expectString(node, what) ?? ''];
  if (path === undefined || path.some((name) => name === '') || path.length === 0) {
    return reader.problem(
      node,
      `${what} must name a claim`,
      'groups, or [realm_access, roles] for a claim inside another',
    );
  }
  return path;
}

function readAlgorithms(
  reader: Reader,
  node: Node | undefined,
  what: string,
): readonly SignatureAlgorithm[] {
  if (node === undefined) return SIGNATURE_ALGORITHMS;
  const list = reader.expectSeq(node, what);
  if (list?.items.length === 0) reader.problem(node, `${what} must name at least one algorithm`);
  return (list?.items ?? [])
    .map((item, index) => reader.expectOneOf(item, `${what}[${index}]`, SIGNATURE_ALGORITHMS))
    .filter((one) => one !== undefined);
}

function readChallenges(reader: Reader, node: Node | undefined): readonly string[] | undefined {
  const texts = reader.expectStrings(node, 'identity.challenges');
  for (const text of texts ?? []) {
    if (node !== undefined && !(CHALLENGE.test(text) && QUOTABLE.test(text))) {
      reader.problem(
        node,
        `identity.challenges cannot have '${text}'`,
        'a scheme, perhaps with parameters: ivoa_bearer ' +
          'standard_id="ivo://ivoa.net/sso#tls-with-password", ' +
          'access_url="https://vo.example.org/login"',
      );
    }
  }
  return texts;
}
