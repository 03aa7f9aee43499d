import type { ErrorRequestHandler, Request } from 'express';
import { escapeAttribute, escapeText } from '../../xml/escape.ts';
import { Problem } from '../../words/problem.ts';

/**
 * Shows a problem to the person whose browser came here by a link or from an issuer; programs get
 * the usual document.
 */
export function problemPage(baseUrl: (request: Request) => string): ErrorRequestHandler {
  return (error, request, response, next) => {
    if (!(error instanceof Problem) || request.headers.accept?.includes('text/html') !== true)
      return next(error);
    const { status, title, code, message, details } = error;
    for (const [name, value] of Object.entries(details.headers ?? {}))
      response.set(name, typeof value === 'string' ? value : [...value]);
    response
      .status(status)
      .type('html')
      .send(
        `<!doctype html><html lang="en"><meta charset="utf-8">` +
          `<meta name="viewport" content="width=device-width"><title>${escapeText(title)}</title>` +
          `<h1>${escapeText(title)}</h1><p>${escapeText(message)} (${code})</p>` +
          `<p><a href="${escapeAttribute(`${baseUrl(request)}/`)}">Back to the service</a></p>`,
      );
  };
}
