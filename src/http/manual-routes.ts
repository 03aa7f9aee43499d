import { hash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Router, type Response } from 'express';
import { readManual, type Manual } from '../manual/manual.ts';
import { sendFile } from '../uws/print/send-file.ts';
import { onlyToRead } from './edge/options.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PICTURES = fileURLToPath(new URL('../../docs/pictures/', import.meta.url));
const STYLE = fileURLToPath(new URL('manual.css', import.meta.url));

/** Pages without scripts; nothing comes from another host. */
const POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; " +
  "form-action 'self'; frame-ancestors 'self'";

/**
 * Serves the project's documents below `/docs/`, with a search, to everybody. Renders them for the
 * first reader and keeps them.
 */
export function manualRoutes(): Router {
  const router = Router();
  router.all(['/docs', '/docs/*path'], onlyToRead);
  let manual: Promise<Manual> | undefined;
  const opened = (): Promise<Manual> => (manual ??= readManual(ROOT));
  router.get('/docs/manual.css', (_request, response) =>
    sendFile(response, STYLE, { maxAge: '1h' }),
  );
  router.get('/docs/pictures/:name', async (request, response, next) => {
    const { name } = request.params;
    if (!/^[a-z-]+\.png$/.test(name)) return next();
    try {
      await sendFile(response, name, { root: PICTURES, maxAge: '1h' });
    } catch {
      next();
    }
  });
  router.get('/docs/search', async (request, response) => {
    const words = request.query['q'];
    const { search } = await opened();
    send(response, search(typeof words === 'string' ? words : ''));
  });
  router.get('/docs/*path', async (request, response, next) => {
    const { page } = await opened();
    const html = page([request.params.path].flat().join('/'));
    if (html === undefined) next();
    else send(response, html);
  });
  return router;
}

function send(response: Response, html: string): void {
  const tag = hash('sha256', html, 'base64url').slice(0, 22);
  response
    .set('Content-Security-Policy', POLICY)
    .set('Cache-Control', 'no-cache')
    .set('ETag', `"${tag}"`)
    .type('html')
    .send(html);
}
