import { Router, type Request, type RequestHandler, type Response } from 'express';

/** Sends a request through handlers that only read and refuse. @throws what they throw */
export function passThrough(
  ...handlers: readonly RequestHandler[]
): (request: Request, response: Response) => Promise<void> {
  const router = Router();
  for (const handler of handlers) router.use(handler);
  return (request, response) =>
    new Promise((done, failed) => {
      router(request, response, (error?: unknown) =>
        error === undefined ? done() : failed(error),
      );
    });
}
