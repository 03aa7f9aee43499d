import type { RequestHandler } from 'express';

/**
 * One handler of several that run in turn. Express' router compares the path before each of its
 * handlers, which costs more than most of them do.
 *
 * @param handlers they pass requests on with `next()` alone: the words `route` and `router` are for
 * the router
 */
export function inOne(...handlers: readonly RequestHandler[]): RequestHandler {
  return (request, response, next) => {
    let at = 0;
    const step = (error?: unknown): void => {
      const handler = handlers[at];
      if (error !== undefined || handler === undefined) return next(error);
      at += 1;
      try {
        const running: unknown = handler(request, response, step);
        if (running instanceof Promise) void watch(running, step);
      } catch (thrown) {
        next(thrown);
      }
    };
    step();
  };
}

async function watch(running: Promise<unknown>, failed: (error: unknown) => void): Promise<void> {
  try {
    await running;
  } catch (error) {
    failed(error);
  }
}
