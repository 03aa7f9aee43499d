/** The longest address; those of files in archives have some hundred characters. */
export const LONGEST_ADDRESS = 2000;

/**
 * The address that a text is; undefined: it is none. Interpreters start from an `id` that is one
 * around a relative address, be it on another host.
 */
export function addressIn(id: unknown): string | undefined {
  return typeof id === 'string' && /^(?:https?|ftp|file):/i.test(id)
    ? URL.parse(id.slice(0, LONGEST_ADDRESS))?.href
    : undefined;
}

/** Where what is in a mapping starts from. @param around where the mapping itself does */
export function baseWithin(
  { id, $base }: Readonly<Record<string, unknown>>,
  around: string | undefined,
): string | undefined {
  return addressIn(id) ?? addressIn($base) ?? around;
}
