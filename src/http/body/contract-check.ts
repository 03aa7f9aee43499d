import { Router, type Request, type RequestHandler } from 'express';
import { middleware as contractChecker } from 'express-openapi-validator';
import type { Contract } from '../service-routes.ts';
import { soundRequests } from './sound-requests.ts';

/**
 * Checks requests against the contract. The checker takes a third of the time of an accept, because
 * it compiles the pattern of every route and parses the parameters again for each request; so a
 * request that certainly fits skips it. It alone decides what to refuse, and how.
 *
 * @param asks paths at which a client POSTs an ask; those that the contract lacks have no schema
 * @throws Error for a keyword or a format in a schema that the quick check does not know
 */
export function contractCheck(contract: Contract, asks: readonly string[]): RequestHandler {
  const isSound = soundRequests(contract.document, asks);
  const check = wholeCheck(contract);
  return (request, response, next) => {
    if (isSound(request)) next();
    else check(request, response, next);
  };
}

/** Checks every request against the whole contract. */
export function wholeCheck(contract: Contract): RequestHandler {
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
  return router;
}
