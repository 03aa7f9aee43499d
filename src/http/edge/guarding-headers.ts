import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { RequestHandler } from 'express';
import helmet from 'helmet';

/** The headers of helmet that matter for answers with data, for the job list. */
export const guardingHeaders: RequestHandler = setting(
  Object.entries({
    'Content-Security-Policy':
      "default-src 'none'; frame-ancestors 'self'; base-uri 'none'; form-action 'self'",
    'Cross-Origin-Resource-Policy': 'same-origin',
    // With `no-referrer`, browsers would send the service's own forms with `Origin: null`.
    'Referrer-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
  }),
);

/**
 * All headers of helmet. They are the same for every answer, so helmet is asked once: its thirteen
 * handlers took a tenth of a GET.
 */
export function helmetHeaders(): RequestHandler {
  const headers = new Map<string, string>();
  const sample = new ServerResponse(new IncomingMessage(new Socket()));
  sample.setHeader = (name, value) => {
    headers.set(name, `${value}`);
    return sample;
  };
  const guard = helmet({
    contentSecurityPolicy: {
      directives: { defaultSrc: ["'none'"], upgradeInsecureRequests: null },
    },
    strictTransportSecurity: false,
    referrerPolicy: { policy: 'same-origin' },
  });
  guard(sample.req, sample, () => undefined);
  return setting([...headers]);
}

function setting(headers: readonly (readonly [string, string])[]): RequestHandler {
  return (_request, response, next) => {
    for (const [name, value] of headers) response.setHeader(name, value);
    next();
  };
}
