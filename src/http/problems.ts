import type { ErrorRequestHandler, Request, Response } from 'express';
import { error as contractError } from 'express-openapi-validator';
import type { Logger } from 'pino';
import { isDatabaseAway } from '../db/client.ts';
import { unsupportedEncoding } from '../uws/errors.ts';
import { toldFaults, type ContractFault } from '../words/faults.ts';
import { Problem } from '../words/problem.ts';
import { bodyTooLarge } from './body/body.ts';
import { allowed } from './edge/options.ts';
import { reply } from './body/reply.ts';

/**
 * What a client is told of an error that a handler threw, or undefined when it is a defect of ours.
 */
export function problemOf(error: unknown, request: Request): Problem | undefined {
  if (error instanceof Problem) return error;
  if (typeof error !== 'object' || error === null) return undefined;
  if (isDatabaseAway(error))
    return new Problem('not-ready', 'The database does not answer; try again soon.', {
      headers: { 'Retry-After': '5' },
    });
  const isContract = Object.values(contractError).some((kind) => error instanceof kind);
  if (isContract && 'status' in error && 'errors' in error && Array.isArray(error.errors)) {
    return ofContract(error, Number(error.status), error.errors, request);
  }
  return error instanceof URIError
    ? new Problem('route-unknown', 'The path cannot be read.')
    : ofBody(error);
}

/**
 * Turns whatever a handler threw into a problem document (RFC 9457); what is not a client's fault
 * is logged and said in general.
 */
export function problemHandler(log: Logger): ErrorRequestHandler {
  return (error, request, response, next) => {
    if (response.headersSent) {
      next(error);
      return;
    }
    const problem = problemOf(error, request);
    if (problem === undefined || problem.status >= 500)
      log.error({ err: error, method: request.method, path: request.path }, 'a request failed');
    send(
      problem ??
        new Problem(
          'internal-error',
          'The service could not answer; the operator finds the cause in its log.',
        ),
      request,
      response,
    );
  };
}

function ofContract(
  error: object,
  status: number,
  errors: readonly ContractFault[],
  request: Request,
): Problem | undefined {
  switch (status) {
    case 400: {
      const { faults, detail } = toldFaults(errors);
      const inBody = errors.every(({ path }) => path.startsWith('/body'));
      return new Problem(
        inBody ? 'body-not-an-ask' : 'parameter-invalid',
        `The request does not have the shape of the contract: ${detail}.`,
        { errors: faults },
      );
    }
    case 404:
      return new Problem(
        'route-unknown',
        `There is nothing at ${request.path}; the contract is at /openapi.yaml and /docs.`,
      );
    case 405:
      return new Problem(
        'method-not-allowed',
        `${request.method} is not allowed at ${request.path}.`,
        allowedBy(error),
      );
    case 415:
      return new Problem(
        'media-type-unsupported',
        `${request.headers['content-type']} is not a content type for ${request.path}.`,
      );
    default:
      return undefined;
  }
}

/** The methods that the checker names with its 405, in no order of its own. */
function allowedBy(error: object): { readonly headers?: Readonly<Record<string, string>> } {
  const allow: unknown = 'headers' in error ? Object(error.headers).Allow : undefined;
  return typeof allow === 'string' ? { headers: { Allow: allowed(allow.split(', ')) } } : {};
}

/** Errors of the body reader: http-errors with a `type`. */
function ofBody(error: object): Problem | undefined {
  const type = 'type' in error ? error.type : undefined;
  if (type === 'entity.too.large') {
    return bodyTooLarge(Math.trunc('limit' in error ? Number(error.limit) / 1024 : 0));
  }
  if (type === 'encoding.unsupported' || type === 'charset.unsupported')
    return unsupportedEncoding();
  if (type === 'request.aborted' || type === 'request.size.invalid')
    return new Problem('body-unreadable', 'The body ended early.');
  // The decompressor's own errors have no type.
  const isUnpacking = type === undefined && 'status' in error && error.status === 400;
  return isUnpacking
    ? new Problem('body-unreadable', 'The body is not what its Content-Encoding says.')
    : undefined;
}

function send(problem: Problem, request: Request, response: Response): void {
  const { code, status, title, message, details } = problem;
  const { headers = {}, ...rest } = details;
  for (const [name, value] of Object.entries(headers))
    response.set(name, typeof value === 'string' ? value : [...value]);
  const type = `urn:execution-planner:problem:${code}`;
  reply(
    request,
    response,
    status,
    { type, title, status, code, detail: message, instance: request.originalUrl, ...rest },
    true,
  );
}
