import type { Request, Response } from 'express';
import { PAGE_POLICY } from './html.ts';

/** How a document is shown. */
export type Format = 'xml' | 'json' | 'html';

const TYPES: Readonly<Record<Format, string>> = {
  xml: 'application/xml; charset=utf-8',
  json: 'application/json; charset=utf-8',
  html: 'text/html; charset=utf-8',
};
/** In the order in which we would choose. */
const DATA = ['application/xml', 'text/xml', 'application/json'];
const PAGES = ['text/html', 'application/xhtml+xml'];

/**
 * XML unless the client prefers JSON by its Accept header, or is a browser and prefers a page.
 * Others get a page when they take neither XML nor JSON. Whoever takes nothing of these gets XML,
 * which is what UWS has (RFC 9110 § 12.5.1).
 */
export function formatOf(req: Request): Format {
  const { accept } = req.headers;
  const browser = isBrowser(req);
  if ((accept === undefined || accept === '*/*') && !browser) return 'xml';
  const chosen = req.accepts(browser ? [...PAGES, ...DATA] : DATA) || req.accepts(PAGES);
  if (chosen === 'application/json') return 'json';
  return chosen !== false && PAGES.includes(chosen) ? 'html' : 'xml';
}

/** Sets the headers of a document. */
export function announce(res: Response, format: Format): void {
  res.setHeader('Vary', 'Accept, Sec-Fetch-Dest');
  res.setHeader('Content-Type', TYPES[format]);
  if (format === 'html') res.setHeader('Content-Security-Policy', PAGE_POLICY);
}

/**
 * Sends a whole document. Not by `res.send`, which looks at the type and at caching headers again.
 */
export function sendDocument(res: Response, format: Format, text: string): void {
  announce(res, format);
  res.setHeader('Content-Length', Buffer.byteLength(text));
  res.end(text);
}

/**
 * Java's own HTTP client asks for text/html first, whatever program it works for;
 * XHTML is named by browsers alone.
 */
function isBrowser({ headers }: Request): boolean {
  return (
    headers['sec-fetch-dest'] === 'document' ||
    /application\/xhtml\+xml/i.test(headers.accept ?? '')
  );
}
