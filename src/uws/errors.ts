import type { ErrorRequestHandler } from 'express';
import { Problem } from '../words/problem.ts';

/** Encodings that the body reader unpacks on every supported Node.js. */
const ENCODINGS = 'gzip, deflate, br, identity';

/** @returns the problem `media-type-unsupported` (415) of a body with another Content-Encoding */
export function unsupportedEncoding(): Problem {
  return new Problem(
    'media-type-unsupported',
    `The Content-Encoding of the body is not supported; supported are ${ENCODINGS}.`,
    { headers: { 'Accept-Encoding': ENCODINGS } },
  );
}

/**
 * Prints problems below the job list as UWS clients read them: text/plain that starts with the
 * code. Passes all other errors on.
 */
export const uwsErrors: ErrorRequestHandler = (error: unknown, _req, res, next) => {
  const problem = error instanceof Problem ? error : fromReader(error);
  if (problem === undefined || res.headersSent) return next(error);
  for (const [name, value] of Object.entries(problem.details.headers ?? {})) {
    res.set(name, typeof value === 'string' ? value : [...value]);
  }
  res.status(problem.status).type('text/plain').send(`${problem.code}: ${problem.message}\n`);
};

/** Translates what express and its body reader throw about an unreadable request. */
function fromReader(error: unknown): Problem | undefined {
  if (error instanceof URIError)
    return new Problem('route-unknown', 'The path of the URL cannot be decoded.');
  if (typeof error !== 'object' || error === null) return undefined;
  if (!hasType(error)) {
    // The errors of the decompressor have no type.
    return 'status' in error && error.status === 400
      ? new Problem('body-unreadable', 'The body does not match its Content-Encoding.')
      : undefined;
  }
  switch (error.type) {
    case 'entity.too.large':
      return new Problem(
        'body-too-large',
        `The body is larger than the limit of ${'limit' in error ? Number(error.limit) / 1024 : 0} KiB.`,
      );
    case 'charset.unsupported':
    case 'encoding.unsupported':
      return unsupportedEncoding();
    case 'request.aborted':
    case 'request.size.invalid':
      return new Problem('body-unreadable', 'The form is not as long as its headers say.');
    default:
      return undefined;
  }
}

function hasType(error: object): error is { readonly type: string } {
  return 'type' in error && typeof error.type === 'string';
}
