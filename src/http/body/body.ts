import type { Request, RequestHandler } from 'express';
import { raw } from 'express';
import { Problem } from '../../words/problem.ts';
import type { Documents } from './documents.ts';

const YAML_TYPES = new Set([
  'application/yaml',
  'application/x-yaml',
  'text/yaml',
  'text/x-yaml',
  'text/vnd.yaml',
]);
/** What a 415 lists (RFC 9110 § 15.5.16). */
const DOCUMENTS_ONLY = { headers: { Accept: 'application/yaml, application/json' } };

export function bodyTooLarge(maxKib: number): Problem {
  return new Problem(
    'body-too-large',
    `The body is larger than ${maxKib} KiB; put what is large behind a URL.`,
  );
}

/** Takes off the one key that may stand around a document. */
export function unwrap(document: unknown, wrapper: string): unknown {
  if (typeof document !== 'object' || document === null) return document;
  const [only, ...more] = Object.entries(document);
  return only?.[0] === wrapper && more.length === 0 ? only[1] : document;
}

/**
 * Parses YAML and JSON bodies before the contract sees them; YAML is the default (EBT § content
 * negotiation). The content type is made canonical, so that the contract lists two.
 *
 * @param wrapper key that may stand around the document
 * @param documents reads them
 * @param maxKib larger bodies are refused with 413, and not read when they announce their size
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
          'Send the body with Content-Type application/yaml or application/json, not ' +
            `${request.headers['content-type']}.`,
          DOCUMENTS_ONLY,
        );
      }
      // The reader below would take all of it before it says so.
      if (Number(request.headers['content-length']) > maxKib * 1024) throw bodyTooLarge(maxKib);
      next();
    },
    raw({ type: () => true, limit: maxKib * 1024 }),
    async (request, _response, next) => {
      const kind = kindOf(request);
      request.headers['content-type'] = `application/${kind}`;
      const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      request.body = unwrap(await documents.read(bytes, kind === 'json'), wrapper);
      next();
    },
  ];
}

function kindOf(request: Request): 'json' | 'yaml' | undefined {
  const header = request.headers['content-type'];
  if (header === undefined) return 'yaml';
  const type = header.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (type === 'application/json') return 'json';
  return YAML_TYPES.has(type) ? 'yaml' : undefined;
}
