import type { Request, RequestHandler, Response } from 'express';
import { inOne } from '../edge/in-one.ts';

/** Sends a request through handlers that only read and refuse. @throws what they throw */
export function passThrough(
  ...handlers: readonly RequestHandler[]
): (request: Request, response: Response) => Promise<void> {
  const all = inOne(...handlers);
  return (request, response) =>
    new Promise((done, failed) => {
      void all(request, response, (error?: unknown) =>
        error === undefined ? done() : failed(error),
      );
    });
}
