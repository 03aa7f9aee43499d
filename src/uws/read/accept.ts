/** The part of a request that says which media types its client takes. */
type Accepting = {
  readonly headers: { accept?: string | undefined };
  readonly accepts: (types: string[]) => string | false;
};

const CHARSET = /;\s*charset=(?:"[^"]*"|[^;,]*)/gi;

/**
 * The media type that the client prefers by its Accept header; undefined when it takes none. Every
 * answer is in UTF-8, so a charset in the header has no meaning (RFC 9110 § 12.5.1); the negotiator
 * takes `application/json; charset=utf-8` for something else than `application/json`.
 */
export function preferredType(request: Accepting, offered: readonly string[]): string | undefined {
  const { headers } = request;
  if (headers.accept !== undefined) headers.accept = headers.accept.replaceAll(CHARSET, '');
  return request.accepts([...offered]) || undefined;
}

/**
 * The names of a media type to offer: its first name, and the others that the header has. A client
 * that takes anything but `application/xml` does not take XML under its other names.
 */
export function offeredNames(accept: string, names: readonly string[]): readonly string[] {
  const said = accept.toLowerCase();
  return names.filter((name, place) => place === 0 || said.includes(name));
}
