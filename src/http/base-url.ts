import type { Request } from 'express';

/**
 * URL of the service as the client used it, without a slash at its end: `PUBLIC_URL`, else what the request names, with
 * X-Forwarded-* where Express trusts the proxy.
 */
export const baseUrlOf = (publicUrl: string | undefined) => (request: Request): string =>
  publicUrl ?? `${request.protocol}://${request.host}`;
