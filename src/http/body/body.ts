import type { Request, RequestHandler } from 'express';
import { raw } from 'express';
import { announcesMore, bodyTooLarge } from '../../words/body-problems.ts';
import { Problem } from '../../words/problem.ts';
import type { BodyFormat } from './document.ts';
import type { Documents } from './documents.ts';
import { mediaTypeOf } from '../../uws/read/media-type.ts';

const YAML_TYPES = new Set([
  'application/yaml',
  'application/x-yaml',
  'text/yaml',
  'text/x-yaml',
  'text/vnd.yaml',
]);
const XML_TYPES = new Set(['application/xml', 'text/xml']);
/** The types that a 415 lists (RFC 9110 § 15.5.16). */
const DOCUMENTS_ONLY = {
  headers: { Accept: 'application/yaml, application/json, application/xml' },
};

/** Removes the one key that may surround a document. */
export function unwrap(document: unknown, wrapper: string): unknown {
  if (typeof document !== 'object' || document === null) return document;
  const [only, ...more] = Object.entries(document);
  return only?.[0] === wrapper && more.length === 0 ? only[1] : document;
}

/**
 * Parses bodies in YAML, JSON and XML before the contract check; YAML is the default. Makes the
 * content type canonical, so that the contract lists three types.
 *
 * @param wrapper key that may surround the document
 * @param maxKib largest body; a larger one is a 413, before it is read when it announces its size
 */
export function bodyParser(
  wrapper: string,
  maxKib: number,
  documents: Documents,
): RequestHandler[] {
  return [
    (request, _response, next) => {
      if (kindOf(request) === undefined) {
        throw new Problem(
          'media-type-unsupported',
          'Send the body with Content-Type application/yaml, application/json or ' +
            `application/xml, not ${request.headers['content-type']}.`,
          DOCUMENTS_ONLY,
        );
      }
      // The reader below would read the whole body before it refuses it.
      if (announcesMore(request, maxKib)) throw bodyTooLarge(maxKib);
      next();
    },
    raw({ type: () => true, limit: maxKib * 1024 }),
    async (request, _response, next) => {
      const kind = kindOf(request) ?? 'yaml';
      request.headers['content-type'] = `application/${kind}`;
      const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      const at = { method: request.method, path: request.baseUrl + request.path };
      request.body = unwrap(await documents.read(bytes, kind, at), wrapper);
      next();
    },
  ];
}

function kindOf(request: Request): BodyFormat | undefined {
  const header = request.headers['content-type'];
  if (header === undefined) return 'yaml';
  const type = mediaTypeOf(header);
  if (type === 'application/json') return 'json';
  if (XML_TYPES.has(type)) return 'xml';
  return YAML_TYPES.has(type) ? 'yaml' : undefined;
}
