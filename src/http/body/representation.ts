import type { Request, RequestHandler } from 'express';
import { shown } from '../../tasks/task.ts';
import { offeredNames, preferredType } from '../../uws/read/accept.ts';
import { Problem } from '../../words/problem.ts';

/** How a document is written; `text` is for people, where a route has it. */
export type Representation = 'yaml' | 'json' | 'xml' | 'text';

/** All names of a type, in the order of preference of the service. */
const NAMES: Readonly<Record<Representation, readonly string[]>> = {
  yaml: [
    'application/yaml',
    'application/problem+yaml',
    'application/x-yaml',
    'text/yaml',
    'text/x-yaml',
    'text/vnd.yaml',
  ],
  json: ['application/json', 'application/problem+json'],
  xml: ['application/xml', 'text/xml', 'application/problem+xml'],
  text: ['text/plain'],
};
const DOCUMENT: readonly Representation[] = ['yaml', 'json', 'xml'];
const JSON_FIRST: readonly Representation[] = ['json', 'yaml', 'xml'];

/** Requests whose client expects JSON unless it names something else. */
const jsonFirst = new WeakSet<object>();

/**
 * Documents and problems at these paths and below are in JSON for a client that names no
 * representation. A client that names YAML and JSON with equal preference still gets YAML.
 */
export function preferJsonAt(paths: ReadonlySet<string>): RequestHandler {
  return (request, _response, next) => {
    const { path } = request;
    const end = path.indexOf('/', 1);
    if (paths.has(end === -1 ? path : path.slice(0, end))) jsonFirst.add(request);
    next();
  };
}

/**
 * The representation in `offered` that the client prefers by its Accept header; undefined when it
 * takes none.
 */
export function representationOf(
  request: Pick<Request, 'headers' | 'accepts'>,
  offered: readonly Representation[] = documentsFor(request),
): Representation | undefined {
  const { accept } = request.headers;
  if (accept === undefined || accept === '*/*') return offered[0];
  if (accept.includes(',')) request.headers.accept = yamlFirst(accept);
  const named = offered.flatMap((one) => offeredNames(accept, NAMES[one]));
  const chosen = preferredType(request, named);
  return offered.find((one) => chosen !== undefined && NAMES[one].includes(chosen));
}

/**
 * Checks before any work that the client takes one of the representations.
 *
 * @throws Problem `not-acceptable` (406) with the list of representations
 */
export function requireAcceptable<Params = Request['params']>(
  offered?: readonly Representation[],
): RequestHandler<Params> {
  return (request, _response, next) => {
    if (representationOf(request, offered) === undefined) {
      const types = (offered ?? DOCUMENT).flatMap((one) => NAMES[one].slice(0, 1)).join(', ');
      throw new Problem(
        'not-acceptable',
        `The answer comes as one of ${types}; Accept is ` +
          `'${shown(request.headers.accept ?? '')}', which takes none of them.`,
      );
    }
    next();
  };
}

function documentsFor(request: object): readonly Representation[] {
  return jsonFirst.has(request) ? JSON_FIRST : DOCUMENT;
}

/**
 * Among types of equal preference the negotiator takes the first in Accept; this service takes
 * YAML.
 */
function yamlFirst(accept: string): string {
  const isOther = (range: string): number => (/yaml/i.test(range) ? 0 : 1);
  return accept
    .split(',')
    .toSorted((one, other) => isOther(one) - isOther(other))
    .join(',');
}
