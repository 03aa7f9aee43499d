import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Router, type Request } from 'express';
import { load } from 'js-yaml';
import { sendFile } from '../uws/print/send-file.ts';
import { runChecks, type HealthCheck } from './health-checks.ts';
import type { Metrics } from './metrics/metrics.ts';

type ServiceParts = {
  readonly metrics: Pick<Metrics, 'type' | 'scrape'>;
  readonly checks: readonly HealthCheck[];
  readonly contract: Contract;
  readonly baseUrl: (request: Request) => string;
};

/** The contract as text and as data, and its version. */
export type Contract = {
  readonly text: string;
  readonly document: object;
  readonly version: string;
};

/** Parts that failed are often started again within seconds. */
const RETRY_S = '5';

const CONTRACT = fileURLToPath(new URL('../../api/openapi.yaml', import.meta.url));
const PAGE = fileURLToPath(new URL('docs.html', import.meta.url));
const resolve = createRequire(import.meta.url).resolve;
const PAGE_FILES = {
  '/docs/start.js': fileURLToPath(new URL('docs.js', import.meta.url)),
  '/docs/viewer.js': resolve('swagger-ui-dist/swagger-ui-bundle.js'),
  '/docs/viewer.css': resolve('swagger-ui-dist/swagger-ui.css'),
};

/** Reads api/openapi.yaml. */
export async function readContract(): Promise<Contract> {
  const text = await readFile(CONTRACT, 'utf8');
  const document = Object(load(text));
  return { text, document, version: document.info.version };
}

// The viewer styles its own elements; nothing comes from another host.
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src " +
  "'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action " +
  "'none'; frame-ancestors 'self'";

/**
 * Serves health, metrics, the contract and a page to read it. Everybody may read them, and they
 * have no secrets.
 */
export function serviceRoutes({ metrics, checks, contract, baseUrl }: ServiceParts): Router {
  const router = Router();
  const contractFor = (request: Request): Contract =>
    contractBelow(contract, new URL(baseUrl(request)).pathname);
  router.get('/livez', (_request, response) => response.type('text/plain').send('alive\n'));
  router.get('/readyz', async (_request, response) => {
    const results = await runChecks(checks);
    const ready = results.every(({ trouble }) => typeof trouble !== 'string');
    const parts = results.map(
      ({ name, trouble }) =>
        [name, typeof trouble === 'object' ? trouble.kind : (trouble ?? 'ok')] as const,
    );
    const problems = results.flatMap(({ name, trouble }) =>
      typeof trouble === 'object' ? [[name, trouble.problems] as const] : [],
    );
    if (!ready) response.set('Retry-After', RETRY_S);
    response
      .status(ready ? 200 : 503)
      .set('Cache-Control', 'no-store')
      .json({
        ready,
        parts: Object.fromEntries(parts),
        ...(problems.length > 0 && { problems: Object.fromEntries(problems) }),
      });
  });
  router.get('/metrics', async (_request, response) => {
    const text = await metrics.scrape();
    response.type(metrics.type).send(text);
  });
  router.get('/openapi.yaml', (request, response) =>
    response.type('application/yaml').send(contractFor(request).text),
  );
  router.get('/openapi.json', (request, response) => response.json(contractFor(request).document));
  router.get('/docs', (request, response) => {
    // The page loads relative addresses, which a final slash would move one level down.
    if (request.path.endsWith('/')) return response.redirect(303, '../docs');
    return sendFile(response.set('Content-Security-Policy', PAGE_POLICY), PAGE, {});
  });
  for (const [path, file] of Object.entries(PAGE_FILES))
    router.get(path, (_request, response) => sendFile(response, file, { maxAge: '1h' }));
  return router;
}

/**
 * The contract for clients that reach the service below a path: the addresses of servers are
 * relative to the address of the contract.
 */
function contractBelow({ text, document, version }: Contract, path: string): Contract {
  return path === '/'
    ? { text, document, version }
    : {
        text: text.replace(/^(servers:\n {2}- url: )\/$/m, `$1${path}`),
        document: { ...document, servers: [{ url: path }] },
        version,
      };
}
