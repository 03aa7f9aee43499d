/** The credential in an Authorization header. */
type Credential =
  | { readonly scheme: 'bearer'; readonly token: string }
  | { readonly scheme: 'basic'; readonly user: string; readonly password: string };

// RFC 6750 § 2.1: a b64token, and nothing else.
const TOKEN = /^[\w.~+/-]+=*$/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/**
 * Reads an Authorization header (RFC 9110 § 11.6.2): Bearer (RFC 6750) or Basic (RFC 7617, UTF-8).
 * The service ignores tokens in URLs and forms, because they would end up in logs.
 *
 * @returns undefined for any other scheme
 */
export function readCredential(authorization: string): Credential | undefined {
  const [scheme = '', value = '', ...rest] = authorization.trim().split(/ +/);
  if (rest.length > 0) return undefined;
  switch (scheme.toLowerCase()) {
    case 'bearer':
      return TOKEN.test(value) ? { scheme: 'bearer', token: value } : undefined;
    case 'basic':
      return readBasic(value);
    default:
      return undefined;
  }
}

function readBasic(encoded: string): Credential | undefined {
  if (!BASE64.test(encoded)) return undefined;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      Buffer.from(encoded, 'base64'),
    );
    const colon = text.indexOf(':');
    return colon < 1
      ? undefined
      : { scheme: 'basic', user: text.slice(0, colon), password: text.slice(colon + 1) };
  } catch {
    return undefined;
  }
}
