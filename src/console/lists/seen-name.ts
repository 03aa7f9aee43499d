/** A letter, a digit or a sign; a name may have nothing but spaces, or characters without a picture. */
const SEEN = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** A name that readers can see and click; undefined: there is none. */
export function seenName(name: string | null | undefined): string | undefined {
  return name != null && SEEN.test(name) ? name : undefined;
}
