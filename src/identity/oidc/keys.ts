import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { IssuerAway } from './discovery.ts';
import { errorText } from '../../words/system-error.ts';

/** Keys are asked for again after so long, while the old ones serve. */
const FRESH_MS = 5 * 60_000;
/**
 * Older keys are used only when the issuer does not answer: a key that was
 * withdrawn is good for no longer.
 */
const STALE_MS = 10 * 60_000;
/**
 * A token with an unknown key makes us ask again, but not more often than this; so does
 * an issuer that did not answer.
 */
const COOL_DOWN_MS = 30_000;
/** An issuer that was never heard is asked more often: nobody can come in before. */
const FIRST_COOL_DOWN_MS = 5000;
/** Keys of an issuer that does not answer any more are used for so long. */
const LAST_GOOD_MS = 24 * 3_600_000;

/** The keys of one issuer: fetched when they are needed, kept while the issuer is away. */
export type IssuerKeys = {
  /** finds the key of a token, for jose; throws IssuerAway when there are no keys to look in */
  readonly keyOf: JWTVerifyGetKey;
  /** asks for the keys unless they are there; never throws */
  readonly warm: () => Promise<void>;
  /** why the newest keys are not there, undefined when they are */
  readonly trouble: () => string | undefined;
};

export type KeyParts = {
  readonly fetchKeySet: () => Promise<Readonly<Record<string, unknown>>>;
  /** milliseconds since 1970 */
  readonly clock: () => number;
  /** called when a fetch brought other keys than before */
  readonly onChange: () => void;
};

type Known = { readonly keyOf: JWTVerifyGetKey; readonly text: string; readonly at: number };

/** Opens the keys of an issuer; asks for nothing before a token needs them, or `warm` is called. */
export function openKeys({ fetchKeySet, clock, onChange }: KeyParts): IssuerKeys {
  let known: Known | undefined;
  let failure: string | undefined;
  let triedAt = -Infinity;
  let pending: Promise<void> | undefined;

  const load = async (): Promise<void> => {
    try {
      const next = parseKeys(await fetchKeySet(), clock());
      if (known !== undefined && known.text !== next.text) onChange();
      known = next;
      failure = undefined;
    } catch (error) {
      failure = errorText(error);
    }
  };
  const refresh = (): Promise<void> => {
    triedAt = clock();
    pending ??= load().finally(() => {
      pending = undefined;
    });
    return pending;
  };
  const mayTry = (): boolean =>
    pending !== undefined ||
    clock() - triedAt >= (known === undefined ? FIRST_COOL_DOWN_MS : COOL_DOWN_MS);
  const usable = (): Known | undefined =>
    known !== undefined && clock() - known.at < LAST_GOOD_MS ? known : undefined;

  const warm = async (): Promise<void> => {
    const age = known === undefined ? Infinity : clock() - known.at;
    if (age < FRESH_MS || !mayTry()) return;
    const refreshed = refresh();
    if (age >= STALE_MS) await refreshed;
  };

  return {
    warm,
    trouble: () => failure ?? (known === undefined ? 'its keys were not asked for yet' : undefined),
    keyOf: async (header, token) => {
      await warm();
      const present = usable();
      if (present === undefined) throw new IssuerAway(failure ?? 'its keys are not there');
      try {
        return await present.keyOf(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey) || !mayTry()) throw error;
        await refresh();
        return (usable() ?? present).keyOf(header, token);
      }
    },
  };
}

function parseKeys(document: Readonly<Record<string, unknown>>, at: number): Known {
  if (!isKeySet(document)) throw new IssuerAway('its key set has no list of keys');
  // Only what verifies signatures with a public key; a secret in a public document is no secret.
  const keys = document.keys.filter(({ kty }) => kty !== 'oct');
  if (keys.length === 0) throw new IssuerAway('its key set has no public key');
  return { keyOf: createLocalJWKSet({ keys }), text: JSON.stringify(keys), at };
}

function isKeySet(document: object): document is JSONWebKeySet {
  return (
    'keys' in document &&
    Array.isArray(document.keys) &&
    document.keys.every((key) => typeof key === 'object' && key !== null)
  );
}
