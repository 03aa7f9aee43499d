/** The media type in a `Content-Type`, without its parameters, in lower case (RFC 9110 § 8.3.1). */
export function mediaTypeOf(contentType: string): string {
  return contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}
