import type { Request, Response } from 'express';
import { offeredNames, preferredType } from '../read/accept.ts';
import { PAGE_POLICY } from './html.ts';

/** The format of a document. */
export type Format = 'xml' | 'json' | 'html';

const TYPES: Readonly<Record<Format, string>> = {
  xml: 'application/xml; charset=utf-8',
  json: 'application/json; charset=utf-8',
  html: 'text/html; charset=utf-8',
};
const XML = ['application/xml', 'text/xml'];
const PAGES = ['text/html', 'application/xhtml+xml'];

/**
 * Chooses XML, unless the client prefers JSON in its Accept header, or is a browser that prefers a
 * page. A client that takes neither XML nor JSON gets a page if it takes one, and else XML, the
 * format of UWS (RFC 9110 § 12.5.1).
 */
export function formatOf(req: Request): Format {
  const { accept = '*/*' } = req.headers;
  const browser = isBrowser(req);
  if (accept === '*/*' && !browser) return 'xml';
  // In the order of preference of the service.
  const names = accept.includes('text/*') ? XML : offeredNames(accept, XML);
  const data = [...names, 'application/json'];
  const chosen =
    preferredType(req, browser ? [...PAGES, ...data] : data) ?? preferredType(req, PAGES);
  if (chosen === 'application/json') return 'json';
  return chosen !== undefined && PAGES.includes(chosen) ? 'html' : 'xml';
}

/** Sets the headers of a document. */
export function announce(res: Response, format: Format): void {
  res.setHeader('Vary', 'Accept, Sec-Fetch-Dest');
  res.setHeader('Content-Type', TYPES[format]);
  if (format === 'html') res.setHeader('Content-Security-Policy', PAGE_POLICY);
}

/**
 * Sends a whole document without `res.send`, which would look at its type and its caching headers
 * again.
 */
export function sendDocument(res: Response, format: Format, text: string): void {
  announce(res, format);
  res.setHeader('Content-Length', Buffer.byteLength(text));
  res.end(text);
}

/**
 * Java's HTTP client asks for text/html first, whichever program uses it. Only browsers name XHTML.
 */
function isBrowser({ headers }: Request): boolean {
  return (
    headers['sec-fetch-dest'] === 'document' ||
    /application\/xhtml\+xml/i.test(headers.accept ?? '')
  );
}
