import type { ErrorRequestHandler, Request, Response } from 'express';
import { error as contractError } from 'express-openapi-validator';
import type { Logger } from 'pino';
import { isDatabaseAway } from '../db/client.ts';
import { Problem, type Fault } from '../words/problem.ts';
import { reply } from './reply.ts';

/** Paths of the contract's checker (`/body/resources/compute/0/min-cores`) as people and refusals write them. */
export const readablePath = (pointer: string): string =>
  pointer.replace(/^\/body\/?/, '').split('/').filter((part) => part !== '')
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : path === '' ? part : `${path}.${part}`), '');

type ContractFault = { readonly path: string; readonly message: string };

const faultsOf = (errors: readonly ContractFault[]): readonly Fault[] => errors.map(({ path, message }) => ({ path: readablePath(path), text: message }));

const ofContract = (status: number, errors: readonly ContractFault[], request: Request): Problem | undefined => {
  switch (status) {
    case 400: {
      const faults = faultsOf(errors);
      const where = faults.map(({ path, text }) => `${path === '' ? 'the body' : path} ${text}`).join('; ');
      const inBody = errors.every(({ path }) => path.startsWith('/body'));
      return new Problem(inBody ? 'body-not-an-ask' : 'parameter-invalid', `The request does not have the shape of the contract: ${where}.`, { errors: faults });
    }
    case 404:
      return new Problem('route-unknown', `There is nothing at ${request.path}; the contract is at /openapi.yaml and /docs.`);
    case 405:
      return new Problem('method-not-allowed', `${request.method} is not allowed at ${request.path}.`);
    case 415:
      return new Problem('media-type-unsupported', `${request.headers['content-type']} is not a content type for ${request.path}.`);
    default:
      return undefined;
  }
};

/** Errors of the body reader: http-errors with a `type`. */
const ofBody = (error: object): Problem | undefined => {
  const type = 'type' in error ? error.type : undefined;
  if (type === 'entity.too.large') {
    const limit = 'limit' in error ? Number(error.limit) : 0;
    return new Problem('body-too-large', `The body is larger than ${Math.trunc(limit / 1024)} KiB; put what is large behind a URL.`);
  }
  if (type === 'encoding.unsupported' || type === 'charset.unsupported') return new Problem('media-type-unsupported', 'The content encoding is not supported.');
  if (type === 'request.aborted' || type === 'request.size.invalid') return new Problem('body-unreadable', 'The body ended early.');
  return undefined;
};

/** What a client is told of an error that a handler threw, or undefined when it is a defect of ours. */
export const problemOf = (error: unknown, request: Request): Problem | undefined => {
  if (error instanceof Problem) return error;
  if (typeof error !== 'object' || error === null) return undefined;
  if (isDatabaseAway(error)) return new Problem('not-ready', 'The database does not answer; try again soon.', { headers: { 'Retry-After': '5' } });
  const isContract = Object.values(contractError).some((kind) => error instanceof kind);
  if (isContract && 'status' in error && 'errors' in error && Array.isArray(error.errors)) {
    return ofContract(Number(error.status), error.errors, request);
  }
  return error instanceof URIError ? new Problem('route-unknown', 'The path cannot be read.') : ofBody(error);
};

const send = (problem: Problem, request: Request, response: Response): void => {
  const { code, status, title, message, details } = problem;
  const { headers = {}, ...rest } = details;
  for (const [name, value] of Object.entries(headers)) response.set(name, typeof value === 'string' ? value : [...value]);
  const type = `urn:execution-planner:problem:${code}`;
  reply(request, response, status, { type, title, status, code, detail: message, instance: request.originalUrl, ...rest }, true);
};

/** Turns whatever a handler threw into a problem document (RFC 9457); what is not a client's fault is logged and said in general. */
export const problemHandler = (log: Logger): ErrorRequestHandler => (error, request, response, next) => {
  if (response.headersSent) {
    next(error);
    return;
  }
  const problem = problemOf(error, request);
  if (problem === undefined || problem.status >= 500) log.error({ err: error, method: request.method, path: request.path }, 'a request failed');
  send(problem ?? new Problem('internal-error', 'The service could not answer; the operator finds the cause in its log.'), request, response);
};
