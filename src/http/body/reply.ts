import type { Request, Response } from 'express';
import { writeXml } from '../../xml/document.ts';
import { changedSince, tagsIn } from '../../uws/read/precondition.ts';
import type { XmlDocument } from '../../xml/mapping.ts';
import { representationOf } from './representation.ts';
import { xmlMappingOf } from './xml-mapping.ts';
import { writeYaml } from './yaml-answer.ts';

/**
 * An entity tag of this service; neither the representation nor its compression has a part in the
 * comparison.
 */
const TAG = /^(?:W\/)?"([\w-]{43})-[a-z]+"$/;

/**
 * Sends a document in the representation that the client prefers, and in YAML to a client that
 * takes none: a refusal always arrives. `result: "YES"` stays a string in every YAML version.
 * Forbids caching unless the route allowed it before.
 */
export function reply(
  request: Request,
  response: Response,
  status: number,
  document: object,
  problem = false,
): void {
  replyAs(request, response, { status, document, problem, toYaml: writeYaml });
}

/**
 * An entity tag of a document in the representation that the client gets: each has another.
 *
 * @param digest of the document
 */
export function tagOf(request: Request, digest: string): string {
  return `"${digest}-${representationOf(request) ?? 'yaml'}"`;
}

/**
 * Does the client have this version? Compares weakly (RFC 9110 § 13.1.2): compressed answers have
 * weak tags. Express always says no to requests with `no-cache`, which fetch adds to a page's own
 * If-None-Match.
 */
export function hasAlready(request: Request, tag: string): boolean {
  return tagsIn(request.get('if-none-match')).some((one) => opaque(one) === opaque(tag));
}

/**
 * Only the versions that If-Match names, if any, are what the client wants.
 *
 * @param digest of the document as it is now
 * @throws Problem `precondition-failed` (412)
 */
export function requireDigest(request: Request, digest: string): void {
  const header = request.get('if-match');
  if (header === undefined) return;
  if (tagsIn(header).some((tag) => tag === '*' || TAG.exec(tag)?.[1] === digest)) return;
  throw changedSince();
}

type Answer<Document extends object> = {
  readonly status: number;
  readonly document: Document;
  readonly problem: boolean;
  readonly toYaml: (document: Document) => string;
};

/** Does the same with another YAML writer, for a document that is too large for the general one. */
export function replyAs<Document extends object>(
  request: Request,
  response: Response,
  { status, document, problem, toYaml }: Answer<Document>,
): void {
  const chosen = representationOf(request);
  const kind = chosen === 'json' || chosen === 'xml' ? chosen : 'yaml';
  const type = `application/${problem ? 'problem+' : ''}${kind}`;
  const text = written();
  if (response.get('Cache-Control') === undefined) response.set('Cache-Control', 'no-store');
  response.status(status).vary('Accept').type(type).send(text);

  function written(): string {
    switch (kind) {
      case 'json':
        return JSON.stringify(document);
      case 'xml':
        return writeXml(document, xmlDocumentOf(request, status, problem));
      case 'yaml':
        return toYaml(document);
    }
  }
}

/** What an answer is in the contract; undefined for a dialect that the contract does not have. */
function xmlDocumentOf(
  request: Request,
  status: number,
  problem: boolean,
): XmlDocument | undefined {
  const mapping = xmlMappingOf(request);
  if (problem) return mapping?.problem;
  return mapping?.answered(request.method, request.baseUrl + request.path, status);
}

function opaque(tag: string): string {
  return tag.replace(/^W\//, '');
}
