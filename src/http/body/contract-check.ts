import { Ajv2020 } from 'ajv/dist/2020.js';
import { Router, type Request } from 'express';
import { middleware as contractChecker } from 'express-openapi-validator';
import type { Contract } from '../service-routes.ts';

/**
 * Holds requests against the contract. The checker compiles the pattern of every route and takes
 * the parameters apart anew for each request, a tenth of what an ask costs; so it does not see
 * plain asks that fit. What is refused, and how, is its business alone.
 *
 * @throws Error when the schema of an ask has a keyword or a format that nobody checks
 */
export function contractCheck(contract: Contract): Router {
  const isSound = soundAsk(contract);
  const router = Router();
  // HEAD is what GET is without the content (RFC 9110 § 9.3.2); the contract names GET alone.
  const heads = new WeakSet<Request>();
  router.use((request, _response, next) => {
    if (request.method === 'HEAD') {
      heads.add(request);
      request.method = 'GET';
    }
    next(isSound(request) ? 'router' : undefined);
  });
  // `dereference`: in `bundle` mode its treatment of shared schemas accepts and refuses the
  // wrong bodies (stack measurements).
  router.use(
    contractChecker({
      apiSpec: Object(structuredClone(contract.document)),
      validateRequests: { allowUnknownQueryParameters: false, allErrors: true },
      validateResponses: false,
      validateSecurity: false,
      fileUploader: false,
      $refParser: { mode: 'dereference' },
    }),
  );
  return router.use((request, _response, next) => {
    if (heads.has(request)) request.method = 'HEAD';
    next();
  });
}

/** Is it `POST /request` without parameters and with a body that fits the schema? */
function soundAsk({ document }: Contract): (request: Request) => boolean {
  // Strict: a keyword or a format that it does not know is an error at the start, for
  // it would let wrong bodies pass.
  const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false });
  ajv.addKeyword('components');
  const isAsk = ajv.compile({
    $ref: '#/components/schemas/Ask',
    components: Object(document).components,
  });
  return ({ method, url, headers, body }) =>
    method === 'POST' &&
    url === '/request' &&
    headers['idempotency-key'] === undefined &&
    isAsk(body);
}
