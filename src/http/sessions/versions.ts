import { hash } from 'node:crypto';
import type { Request, Response } from 'express';
import { hasAlready, reply, requireDigest, tagOf } from '../body/reply.ts';

/**
 * Sends a document with its entity tag, and 304 to a client that has it (RFC 9110 § 13.1.2). The
 * tag changes with the document, and each representation has another.
 *
 * @throws Problem `precondition-failed` (412) if a reader's If-Match names other versions
 */
export function replyVersion(request: Request, response: Response, document: object): void {
  const digest = digestOf(document);
  // The tag in the answer to an update is that of the new version.
  if (isReading(request)) requireDigest(request, digest);
  const tag = tagOf(request, digest);
  response.set({ ETag: tag, 'Cache-Control': 'private, no-cache' }).vary('Accept');
  if (isReading(request) && hasAlready(request, tag)) response.status(304).end();
  else reply(request, response, 200, document);
}

/** Does the request hold for one version only? */
export function hasPrecondition(request: Request): boolean {
  return request.get('if-match') !== undefined;
}

/**
 * @param document as it is now
 * @throws Problem `precondition-failed` (412) if the client's If-Match names other versions
 */
export function requireVersion(request: Request, document: object): void {
  requireDigest(request, digestOf(document));
}

function digestOf(document: object): string {
  return hash('sha256', JSON.stringify(document), 'base64url');
}

function isReading({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD';
}
