import express, { type Request, type RequestHandler, type Response } from 'express';
import { Problem } from '../../words/problem.ts';
import { type ControlParameters, readParameters, shownValue } from './control.ts';
import { mediaTypeOf } from './media-type.ts';
import { type Inline, type FormParts, readMultipart } from './multipart.ts';

const FORM = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data';
const DOCUMENTS: ReadonlyMap<string, RawDocument['format']> = new Map([
  ['application/json', 'json'],
  ['application/yaml', 'yaml'],
  ['application/x-yaml', 'yaml'],
  ['text/yaml', 'yaml'],
  ['text/x-yaml', 'yaml'],
  ['application/xml', 'xml'],
  ['text/xml', 'xml'],
]);

const FORMS = [FORM, MULTIPART].join(', ');
/** The types that a 415 lists (RFC 9110 § 15.5.16). */
const TAKEN = `${FORMS}, application/yaml, application/json, application/xml`;

/** A document of a dialect, not read yet. */
export type RawDocument = { readonly format: 'json' | 'yaml' | 'xml'; readonly bytes: Uint8Array };

/**
 * What a request carries besides its URL: parameters and their contents, one whole document, or one
 * content.
 */
export type RequestBody = {
  readonly parameters: ControlParameters;
  readonly inline: FormParts;
  readonly document: RawDocument | undefined;
  /** the body of a PUT */
  readonly content: Inline | undefined;
};

const NOTHING: RequestBody = {
  parameters: new Map(),
  inline: new Map(),
  document: undefined,
  content: undefined,
};
const bodies = new WeakMap<Request, RequestBody>();

/**
 * Refuses a document: only the job list takes one.
 *
 * @throws Problem `media-type-unsupported` (415)
 */
export function requireForm({ document }: RequestBody): void {
  if (document === undefined) return;
  throw new Problem(
    'media-type-unsupported',
    `Only the job list takes a document; here the body must be one of ${FORMS}.`,
    { headers: { Accept: FORMS } },
  );
}

/** @returns the body that {@link bodyReader} read */
export function bodyOf(req: Request): RequestBody {
  return bodies.get(req) ?? NOTHING;
}

/**
 * Reads forms, urlencoded and multipart (DALI § 2), documents in JSON, YAML or XML, and for a PUT
 * content of any type.
 *
 * @param maxKib largest body; a larger one is a 413, after it is read
 * @throws Problem `media-type-unsupported` (415), `body-unreadable` (400).
 */
export function bodyReader(maxKib: number): RequestHandler {
  const raw = express.raw({ type: () => true, limit: maxKib * 1024 });
  const bytesOf = (req: Request, res: Response): Promise<unknown> =>
    new Promise((resolve, reject) => {
      raw(req, res, (error?: unknown) => (error === undefined ? resolve(req.body) : reject(error)));
    });
  return async (req, res, next) => {
    // Most GETs announce no body, and need no reading.
    if (
      req.headers['content-length'] !== undefined ||
      req.headers['transfer-encoding'] !== undefined
    ) {
      const bytes = await bytesOf(req, res);
      if (Buffer.isBuffer(bytes)) bodies.set(req, await readBody(req, bytes));
    }
    next();
  };
}

/** The format of a document of this type; undefined for a type of other content. */
export function documentFormat(contentType: string): RawDocument['format'] | undefined {
  return DOCUMENTS.get(mediaTypeOf(contentType));
}

async function readBody(req: Request, bytes: Buffer): Promise<RequestBody> {
  const header = req.get('content-type') ?? '';
  const type = mediaTypeOf(header);
  if (req.method === 'PUT')
    return {
      ...NOTHING,
      content: { type: header || 'application/octet-stream', content: new Uint8Array(bytes) },
    };
  if (type === MULTIPART) return { ...NOTHING, ...(await readMultipart(header, bytes)) };
  const format = documentFormat(header);
  if (format !== undefined) return { ...NOTHING, document: { format, bytes } };
  if (type === FORM || bytes.length === 0)
    return { ...NOTHING, parameters: readParameters(utf8(bytes)) };
  throw new Problem(
    'media-type-unsupported',
    `The body is ${shownValue(header)}; it must be ${FORM}, ${MULTIPART}, or for a new job ` +
      'application/yaml, application/json or application/xml.',
    { headers: { Accept: TAKEN } },
  );
}

function utf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Problem('body-unreadable', 'The form is not valid UTF-8.');
  }
}
