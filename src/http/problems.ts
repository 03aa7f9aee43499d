import type { ErrorRequestHandler, Request, Response } from 'express';
import { error as contractError } from 'express-openapi-validator';
import type { Logger } from 'pino';
import { isDatabaseAway } from '../db/client.ts';
import { readerProblem } from '../words/body-problems.ts';
import { toldFaults, type ContractFault } from '../words/faults.ts';
import { Problem } from '../words/problem.ts';
import { requestIdOf } from './edge/answer-names.ts';
import { allowed } from './edge/options.ts';
import { reply } from './body/reply.ts';

/** Translates an error of a handler for the client; undefined for a defect of the service. */
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
  return readerProblem(error);
}

/**
 * Answers errors of handlers with a problem document (RFC 9457). Logs an error that the client did
 * not cause, and tells the client no details of it.
 */
export function problemHandler(log: Logger): ErrorRequestHandler {
  return (error, request, response, next) => {
    if (response.headersSent) {
      next(error);
      return;
    }
    const problem = problemOf(error, request);
    if (problem === undefined || problem.status >= 500)
      log.error(
        {
          err: error,
          method: request.method,
          path: request.path,
          requestId: requestIdOf(response),
        },
        'a request failed',
      );
    send(
      problem ??
        new Problem('internal-error', 'The service failed; its log tells the operator why.'),
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
      const inBody = errors.every(({ path }) => path.startsWith('/body'));
      const { faults, detail } = toldFaults(errors, inBody ? request.body : undefined);
      return new Problem(
        inBody ? 'body-not-an-ask' : 'parameter-invalid',
        `The request does not match the contract: ${detail}.`,
        { errors: faults },
      );
    }
    case 404:
      return new Problem(
        'route-unknown',
        `There is nothing at ${request.path}; see /openapi.yaml or /docs.`,
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

/** The methods in the checker's 405, which come in no order. */
function allowedBy(error: object): { readonly headers?: Readonly<Record<string, string>> } {
  const allow: unknown = 'headers' in error ? Object(error.headers).Allow : undefined;
  return typeof allow === 'string' ? { headers: { Allow: allowed(allow.split(', ')) } } : {};
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
    {
      type,
      title,
      status,
      code,
      detail: message,
      instance: request.originalUrl,
      'request-id': requestIdOf(response),
      ...rest,
    },
    true,
  );
}
