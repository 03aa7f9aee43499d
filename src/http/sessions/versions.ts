import { hash } from 'node:crypto';
import type { Request, Response } from 'express';
import { changedSince } from '../asks/offer-updates.ts';
import { tagsIn } from '../../uws/read/precondition.ts';
import { hasAlready, reply, tagOf } from '../body/reply.ts';

/**
 * An entity tag of this service; neither the representation nor its compression has a part in the
 * comparison.
 */
const TAG = /^(?:W\/)?"([\w-]{43})-[a-z]+"$/;

/**
 * Sends a document with its entity tag, and 304 to a client that has it (RFC 9110 § 13.1.2). The
 * tag changes with the document, and each representation has another.
 */
export function replyVersion(request: Request, response: Response, document: object): void {
  const tag = tagOf(request, digestOf(document));
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
  const tags = tagsIn(request.get('if-match'));
  const digest = digestOf(document);
  if (tags.some((tag) => tag === '*' || TAG.exec(tag)?.[1] === digest)) return;
  throw changedSince();
}

function digestOf(document: object): string {
  return hash('sha256', JSON.stringify(document), 'base64url');
}

function isReading({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD';
}
