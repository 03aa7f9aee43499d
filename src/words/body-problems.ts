import { Problem } from './problem.ts';

/** Encodings that the body reader unpacks on every supported Node.js. */
const ENCODINGS = 'gzip, deflate, br, identity';

/** What of a request announces its body. */
type Announced = { readonly headers: { readonly 'content-length'?: string | undefined } };

/** Does a request announce a body above `maxKib` KiB? One without a length does not. */
export function announcesMore({ headers }: Announced, maxKib: number): boolean {
  return Number(headers['content-length']) > maxKib * 1024;
}

/** @returns the problem `body-too-large` (413) of a body above `maxKib` KiB */
export function bodyTooLarge(maxKib: number): Problem {
  return new Problem(
    'body-too-large',
    `The body is larger than the limit of ${maxKib} KiB; put large data behind a URL.`,
  );
}

/**
 * Translates what express and its body reader throw about an unreadable request.
 *
 * @returns undefined for any other error
 */
export function readerProblem(error: unknown): Problem | undefined {
  if (error instanceof URIError)
    return new Problem('route-unknown', 'The path of the URL cannot be decoded.');
  if (typeof error !== 'object' || error === null) return undefined;
  const { type, status, limit }: Readonly<Record<string, unknown>> = Object(error);
  switch (type) {
    case 'entity.too.large':
      return bodyTooLarge(Math.trunc(Number(limit) / 1024));
    case 'charset.unsupported':
    case 'encoding.unsupported':
      return new Problem(
        'media-type-unsupported',
        `The Content-Encoding of the body is not supported; supported are ${ENCODINGS}.`,
        { headers: { 'Accept-Encoding': ENCODINGS } },
      );
    case 'request.aborted':
    case 'request.size.invalid':
      return new Problem('body-unreadable', 'The body ended early.');
    case undefined:
      // The errors of the decompressor have no type.
      return status === 400
        ? new Problem('body-unreadable', 'The body does not match its Content-Encoding.')
        : undefined;
    default:
      return undefined;
  }
}
