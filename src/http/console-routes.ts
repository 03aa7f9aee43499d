import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Router, type Request, type Response } from 'express';
import { prefixOf } from './edge/base-url.ts';
import { onlyToRead } from './edge/options.ts';

/** The console as it was built: files by their names, which have a digest of the content. */
const BUILT = fileURLToPath(new URL('../generated/console/', import.meta.url));
const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
  html: 'text/html; charset=utf-8',
};

/**
 * Nothing comes from another host or is written into the page, and no script of the page may make a
 * script, a style or markup from text.
 */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
  "connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; " +
  "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

/** Shown when the install ran no scripts. */
const UNBUILT = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>ExecutionPlanner</title>
<h1>ExecutionPlanner</h1>
<p>The console is not built: the installation ran no scripts. <code>npm run console</code> builds it.</p>
<p><a href="jobs">Your jobs</a> and <a href="docs">the API</a> work without it.</p></html>
`;

type Bytes = Readonly<Record<'identity' | 'br' | 'gzip', Buffer>>;

/**
 * Serves the console to everybody: the page at `/` for browsers, its files below `/console/`.
 * Browsers that follow a link to an offer or an explanation get its screen; other clients never
 * ask for HTML there.
 */
export function consoleRoutes(): Router {
  const router = Router();
  const built = openBuilt();
  router.all(['/', '/console/:name'], onlyToRead);
  router.get('/', (request, response) => {
    response.vary('Accept');
    if (!isBrowser(request)) {
      const prefix = prefixOf(request);
      return response.redirect(303, prefix === '' ? 'docs' : `${prefix}/docs`);
    }
    response.set('Content-Security-Policy', POLICY).set('Cache-Control', 'no-cache');
    const page = built().get('index.html');
    return page === undefined
      ? response.type('html').send(UNBUILT)
      : send(request, response, 'index.html', page);
  });
  router.get('/console/:name', (request, response, next) => {
    const bytes = built().get(request.params.name);
    if (bytes === undefined) return next();
    response.set('Cache-Control', 'public, max-age=31536000, immutable');
    return send(request, response, request.params.name, bytes);
  });
  router.get('/offers/:ident', leadTo('../#/offers/'));
  router.get('/asks/:ident/explain', leadTo('../../#/asks/', '/explain'));
  router.get('/offers/:ident/explain', leadTo('../../#/offers/', '/explain'));
  return router;
}

/** Sends a browser to a screen of the console, by an address that is relative to the request's. */
function leadTo(before: string, after = '') {
  return (request: Request<{ ident: string }>, response: Response, next: () => void): void => {
    response.vary('Accept');
    const up = request.path.endsWith('/') ? '../' : '';
    if (isBrowser(request))
      response.redirect(303, `${up}${before}${encodeURIComponent(request.params.ident)}${after}`);
    else next();
  };
}

/** Does somebody look at this address in a browser? Scripts of a page do not ask for HTML. */
function isBrowser({ headers }: Request): boolean {
  return /\btext\/html\b/i.test(headers.accept ?? '');
}

function send(request: Request, response: Response, name: string, bytes: Bytes): Response {
  const encoding = request.acceptsEncodings(['br', 'gzip', 'identity']);
  const chosen = encoding === 'br' || encoding === 'gzip' ? encoding : 'identity';
  response.vary('Accept-Encoding').set('Content-Type', TYPES[name.split('.').at(-1) ?? '']);
  if (chosen !== 'identity') response.set('Content-Encoding', chosen);
  return response.send(bytes[chosen]);
}

/** The files, read again when they are built again: a page that is loaded again is the new one. */
function openBuilt(): () => ReadonlyMap<string, Bytes> {
  const builtAt = (): number | undefined =>
    statSync(`${BUILT}index.html`, { throwIfNoEntry: false })?.mtimeMs;
  let at = builtAt();
  let files = readBuilt();
  return () => {
    const now = builtAt();
    if (now !== at) [at, files] = [now, readBuilt()];
    return files;
  };
}

function readBuilt(): ReadonlyMap<string, Bytes> {
  if (!existsSync(BUILT)) return new Map();
  const names = readdirSync(BUILT).filter((name) => !/\.(?:br|gz)$/.test(name));
  return new Map(
    names.map((name) => {
      const file = join(BUILT, name);
      const identity = readFileSync(file);
      const br = readFileSync(`${file}.br`);
      return [name, { identity, br, gzip: readFileSync(`${file}.gz`) }];
    }),
  );
}
