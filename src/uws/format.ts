import type { Request, Response } from 'express';
import { PAGE_POLICY } from './html.ts';

/** How a document is shown. */
export type Format = 'xml' | 'json' | 'html';

const TYPES: Readonly<Record<Format, string>> = {
  xml: 'application/xml; charset=utf-8', json: 'application/json; charset=utf-8', html: 'text/html; charset=utf-8',
};
/** In the order in which we would choose. */
const OFFERED = ['application/xml', 'text/xml', 'application/json', 'text/html'];

/** XML unless the client names JSON or HTML in its Accept header and prefers it; who accepts anything, or nothing of these, gets XML. */
export const formatOf = (req: Request): Format => {
  const { accept } = req.headers;
  if (accept === undefined || accept === '*/*') return 'xml';
  const chosen = req.accepts(OFFERED);
  if (chosen === 'application/json') return 'json';
  return chosen === 'text/html' ? 'html' : 'xml';
};

/** Sets the headers of a document. */
export const announce = (res: Response, format: Format): void => {
  res.setHeader('Vary', 'Accept');
  res.setHeader('Content-Type', TYPES[format]);
  if (format === 'html') res.setHeader('Content-Security-Policy', PAGE_POLICY);
};

/** Sends a whole document. Not by `res.send`, which looks at the type and at caching headers again. */
export const sendDocument = (res: Response, format: Format, text: string): void => {
  announce(res, format);
  res.setHeader('Content-Length', Buffer.byteLength(text));
  res.end(text);
};
