import type { ErrorRequestHandler } from 'express';
import { Problem } from '../words/problem.ts';

/** What the body reader unpacks, whatever its Node.js. */
const ENCODINGS = 'gzip, deflate, br, identity';

/** @returns the problem `media-type-unsupported` (415) of a body that is packed in another way */
export function unsupportedEncoding(): Problem {
  return new Problem(
    'media-type-unsupported',
    `The body has a Content-Encoding that is not supported; supported are ${ENCODINGS}.`,
    { headers: { 'Accept-Encoding': ENCODINGS } },
  );
}

/**
 * Errors below the job list as clients of UWS read them: text/plain that starts with the code. What
 * is not a {@link Problem} goes on.
 */
export const uwsErrors: ErrorRequestHandler = (error: unknown, _req, res, next) => {
  const problem = error instanceof Problem ? error : fromReader(error);
  if (problem === undefined || res.headersSent) return next(error);
  for (const [name, value] of Object.entries(problem.details.headers ?? {})) {
    res.set(name, typeof value === 'string' ? value : [...value]);
  }
  res.status(problem.status).type('text/plain').send(`${problem.code}: ${problem.message}\n`);
};

/** What express and its body reader throw about a request that cannot be read. */
function fromReader(error: unknown): Problem | undefined {
  if (error instanceof URIError)
    return new Problem('route-unknown', 'The path of the URL cannot be decoded.');
  if (typeof error !== 'object' || error === null) return undefined;
  if (!hasType(error)) {
    // The decompressor's own errors have no type.
    return 'status' in error && error.status === 400
      ? new Problem('body-unreadable', 'The body is not what its Content-Encoding says.')
      : undefined;
  }
  switch (error.type) {
    case 'entity.too.large':
      return new Problem(
        'body-too-large',
        `The body is above the ${'limit' in error ? Number(error.limit) / 1024 : 0} KiB that are taken here.`,
      );
    case 'charset.unsupported':
    case 'encoding.unsupported':
      return unsupportedEncoding();
    case 'request.aborted':
    case 'request.size.invalid':
      return new Problem('body-unreadable', 'The form did not arrive as announced.');
    default:
      return undefined;
  }
}

function hasType(error: object): error is { readonly type: string } {
  return 'type' in error && typeof error.type === 'string';
}
