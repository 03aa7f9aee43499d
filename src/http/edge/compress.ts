import compression from 'compression';
import type { Request, RequestHandler, Response } from 'express';

/**
 * Below it a compressed answer is no sooner there: ten packets of TCP arrive in one round trip
 * (RFC 6928). Answers to asks are below it, so asks do not pay.
 */
const FLOOR = 14_000;
/** Documents and scripts. Events, archives and pictures are none of these. */
const DENSE = /^(?:application\/(?:[\w.-]+\+)?(?:json|yaml|xml|javascript)|image\/svg\+xml)(?:;|$)/;
const PAGE = /^text\/(?:html|xml|css|javascript|yaml)(?:;|$)/;
/** Files of results and metrics; without a length it is a log that its reader follows. */
const TEXT = /^text\/(?!event-stream)/;

const compress = compression({ threshold: FLOOR, filter: becomesSmaller });

/**
 * Compresses large documents for clients that take `br` or `gzip`.
 *
 * The length of a compressed answer tells a secret in it to somebody who can also put text into it
 * (BREACH). No answer has a secret: credentials and the names of sessions travel in headers, which
 * this does not touch, and pages of other sites load nothing as the user (cross-site.ts). An answer
 * with a secret in its body must say `Cache-Control: no-transform`.
 */
export const compressAnswers: RequestHandler = (request, response, next) => {
  if (/\b(?:br|gzip)\b/.test(request.headers['accept-encoding'] ?? ''))
    compress(request, response, next);
  else next();
};

/** Decides when the head is complete, and makes it the head of another form of the document. */
function becomesSmaller(request: Request, response: Response): boolean {
  const type = String(response.getHeader('content-type') ?? '');
  const length = response.getHeader('content-length');
  const isDense = DENSE.test(type) || PAGE.test(type) || (TEXT.test(type) && length !== undefined);
  // A range counts the bytes of the file.
  if (!isDense || response.statusCode === 206) return false;
  if (response.hasHeader('content-encoding')) return false;
  // The digest is that of the bytes as they are (RFC 9530 § 3).
  if (response.hasHeader('repr-digest')) return false;
  response.vary('Accept-Encoding');
  if (Number(length) < FLOOR || request.acceptsEncodings('br', 'gzip') === false) return false;
  response.removeHeader('Accept-Ranges');
  const tag = response.getHeader('etag');
  // Not the same bytes any more (RFC 9110 § 8.8.3.3).
  if (typeof tag === 'string' && tag.startsWith('"')) response.setHeader('ETag', `W/${tag}`);
  if (request.method !== 'HEAD') return true;
  // It would be the length of other bytes than a GET brings (RFC 9110 § 8.6).
  response.removeHeader('Content-Length');
  return false;
}
