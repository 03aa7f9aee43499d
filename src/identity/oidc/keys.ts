import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { IssuerAway } from './discovery.ts';
import { errorText } from '../../words/system-error.ts';

/** After this time the keys are fetched again, while the old ones stay in use. */
const FRESH_MS = 5 * 60_000;
/**
 * Older keys stay in use only while the issuer does not answer: a withdrawn key works no longer
 * than this.
 */
const STALE_MS = 10 * 60_000;
/**
 * A token with an unknown key starts another fetch, but at most one in this time; so does a silent
 * issuer.
 */
const COOL_DOWN_MS = 30_000;
/**
 * The shorter time before the first answer of an issuer: until then, none of its users can log in.
 */
const FIRST_COOL_DOWN_MS = 5000;
/** How long the last keys of a silent issuer stay in use. */
const LAST_GOOD_MS = 24 * 3_600_000;

/** The keys of one issuer: fetched on demand, kept while the issuer does not answer. */
export type IssuerKeys = {
  /** finds the key of a token, for jose; throws IssuerAway without any keys */
  readonly keyOf: JWTVerifyGetKey;
  /** fetches the keys unless they are fresh; never throws */
  readonly warm: () => Promise<void>;
  /** why the newest keys are missing; undefined when they are there */
  readonly trouble: () => string | undefined;
};

type KeyParts = {
  readonly fetchKeySet: () => Promise<Readonly<Record<string, unknown>>>;
  /** milliseconds, never going back */
  readonly clock: () => number;
  /** called when a fetch brings other keys than before */
  readonly onChange: () => void;
};

type Known = { readonly keyOf: JWTVerifyGetKey; readonly text: string; readonly at: number };

/** Opens the keys of an issuer. The first fetch comes with the first token, or with `warm`. */
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
    trouble: () => failure ?? (known === undefined ? 'its keys were not fetched yet' : undefined),
    keyOf: async (header, token) => {
      await warm();
      const present = usable();
      if (present === undefined) throw new IssuerAway(failure ?? 'its keys are missing');
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
  // Keeps only public keys: a secret in a public document protects nothing.
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
