import type { Response } from 'express';

type SendOptions = NonNullable<Parameters<Response['sendFile']>[1]>;
type RefusedPart = Error & { readonly status: number; readonly headers?: Record<string, string> };

/**
 * Sends a file, or the part in the header Range. Where it cannot give what Range or If-Match ask
 * for, it says so (416, 412).
 *
 * @throws Error if the file cannot be read
 */
export function sendFile(res: Response, path: string, options: SendOptions): Promise<void> {
  const { headers } = res.req;
  // The file is there, whatever its version. Express takes a file without an entity tag for none.
  if (headers['if-match']?.trim() === '*') {
    delete headers['if-match'];
    delete headers['if-unmodified-since'];
  }
  return new Promise((resolve, reject) => {
    res.sendFile(path, options, (error?: Error) => {
      // A client that leaves before the end, as pyvo does, is not an error of the service.
      if (error === undefined || res.headersSent || res.destroyed) return resolve();
      if (isBrokenOff(error)) return resolve();
      if (!isRefusedPart(error)) return reject(error);
      res.removeHeader('Content-Type');
      res.removeHeader('Content-Disposition');
      res
        .status(error.status)
        .set({ 'Cache-Control': 'no-store', ...error.headers })
        .end();
      resolve();
    });
  });
}

/**
 * Node's word for a request that is no HTTP further on, which Node refuses itself. It has the bytes
 * of the request, credentials included, which are not for the log.
 */
function isBrokenOff(error: Error): boolean {
  return 'code' in error && String(error.code).startsWith('HPE_');
}

function isRefusedPart(error: Error): error is RefusedPart {
  return 'status' in error && (error.status === 412 || error.status === 416);
}
