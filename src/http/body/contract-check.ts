import { Ajv2020 } from 'ajv/dist/2020.js';
import { Router, type Request } from 'express';
import { middleware as contractChecker } from 'express-openapi-validator';
import type { Contract } from '../service-routes.ts';

/**
 * Checks requests against the contract. The checker takes a tenth of the time of an ask, because it
 * compiles the pattern of every route and parses the parameters again for each request; so plain
 * asks that fit the schema skip it. It alone decides what to refuse, and how.
 *
 * @param asks paths of the contract to which clients POST asks
 * @throws Error for a keyword or a format in the schema of an ask that the checker does not know
 */
export function contractCheck(contract: Contract, asks: readonly string[]): Router {
  const isSound = soundAsk(contract, asks);
  const router = Router();
  // HEAD is GET without the content (RFC 9110 § 9.3.2); the contract names only GET.
  const heads = new WeakSet<Request>();
  router.use((request, _response, next) => {
    if (request.method === 'HEAD') {
      heads.add(request);
      request.method = 'GET';
    }
    next(isSound(request) ? 'router' : undefined);
  });
  // `dereference`: in `bundle` mode, shared schemas accept and refuse the wrong bodies.
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

/** Is it an ask without parameters and with a body that fits the schema? */
function soundAsk({ document }: Contract, asks: readonly string[]): (request: Request) => boolean {
  // Strict: an unknown keyword or format, which would let wrong bodies pass, is an error at the
  // start.
  const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false });
  ajv.addKeyword('components');
  const { paths, components } = Object(document);
  const checks = new Map(
    asks.map((path) => {
      const { schema } = paths[path].post.requestBody.content['application/json'];
      return [path, ajv.compile({ ...schema, components })];
    }),
  );
  return ({ method, url, headers, body }) =>
    method === 'POST' &&
    headers['idempotency-key'] === undefined &&
    checks.get(url)?.(body) === true;
}
