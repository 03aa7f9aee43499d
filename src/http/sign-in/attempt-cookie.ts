import type { Attempt } from '../../identity/sign-in/issuer-client.ts';
import { isRecord, parsedJson } from '../../words/record.ts';

/** What the browser keeps while its user is at the issuer. */
export type Begun = {
  readonly attempt: Attempt;
  /** fragment of the page that opens afterwards */
  readonly to: string;
  /** milliseconds since 1970 */
  readonly at: number;
};

/** How long a user may take at the issuer, seconds. */
export const ATTEMPT_S = 600;

/** A fragment of the service's own page. */
const FRAGMENT = /^#\/[\x21-\x7e]{0,1000}$/;

/** Can the text follow the address of the service's page, and lead nowhere else? */
export function isFragment(text: string): boolean {
  return FRAGMENT.test(text);
}

/** The value of the cookie. */
export function printBegun(begun: Begun): string {
  return Buffer.from(JSON.stringify(begun)).toString('base64url');
}

/**
 * Reads the cookie. Its user may have changed it, to no one's harm: it only says what the answer of
 * the issuer must fit.
 *
 * @param now milliseconds since 1970
 * @returns undefined for a missing, faulty or old cookie
 */
export function readBegun(value: string | undefined, now: number): Begun | undefined {
  if (value === undefined || value === '') return undefined;
  const document = parsedJson(Buffer.from(value, 'base64url').toString('utf8'));
  if (!isRecord(document) || !isRecord(document['attempt'])) return undefined;
  const { to, at, attempt } = document;
  const { issuer, state, nonce, verifier } = attempt;
  if (
    typeof issuer !== 'string' ||
    typeof state !== 'string' ||
    typeof nonce !== 'string' ||
    typeof verifier !== 'string' ||
    typeof to !== 'string' ||
    typeof at !== 'number'
  )
    return undefined;
  const isNow = at <= now && now - at < ATTEMPT_S * 1000;
  return isNow && isFragment(to) && state !== ''
    ? { attempt: { issuer, state, nonce, verifier }, to, at }
    : undefined;
}
