import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { Router, type Request, type RequestHandler } from 'express';
import { middleware as contractChecker } from 'express-openapi-validator';
import type { Contract } from '../service-routes.ts';

/**
 * Checks requests against the contract. The checker takes a tenth of the time of an ask, because it
 * compiles the pattern of every route and parses the parameters again for each request; so plain
 * asks that fit the schema skip it. It alone decides what to refuse, and how.
 *
 * @param asks paths at which a client POSTs an ask; those that the contract lacks have no schema
 * @throws Error for a keyword or a format in the schema of an ask that the checker does not know
 */
export function contractCheck(contract: Contract, asks: readonly string[]): RequestHandler {
  const isSound = soundAsk(contract, asks);
  const router = Router();
  // HEAD is GET without the content (RFC 9110 § 9.3.2); the contract names only GET.
  const heads = new WeakSet<Request>();
  router.use((request, _response, next) => {
    if (request.method === 'HEAD') {
      heads.add(request);
      request.method = 'GET';
    }
    next();
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
  router.use((request, _response, next) => {
    if (heads.has(request)) request.method = 'HEAD';
    next();
  });
  return (request, response, next) => {
    if (isSound(request)) next();
    else router(request, response, next);
  };
}

/** Is it a POST of an ask without parameters, whose body fits the schema? */
function soundAsk({ document }: Contract, asks: readonly string[]): (request: Request) => boolean {
  // Strict: an unknown keyword or format, which would let wrong bodies pass, is an error at the
  // start.
  const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false });
  ajv.addVocabulary(['components', 'xml']);
  const { components, paths } = Object(document);
  const fits = new Map<string, ValidateFunction>();
  const isAsk = new Map<string, ValidateFunction>();
  for (const path of asks.filter((one) => Object.hasOwn(Object(paths), one))) {
    const { $ref } = paths[path].post.requestBody.content['application/json'].schema;
    const fit = fits.get($ref) ?? ajv.compile({ $ref, components });
    fits.set($ref, fit);
    isAsk.set(path, fit);
  }
  return ({ method, url, headers, body }) =>
    method === 'POST' &&
    headers['idempotency-key'] === undefined &&
    isAsk.get(url)?.(body) === true;
}
