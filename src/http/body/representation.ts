import type { Request, RequestHandler } from 'express';
import { shown } from '../../tasks/task.ts';
import { Problem } from '../../words/problem.ts';

/** How a document is written; `text` is for people, where a route has it. */
type Representation = 'yaml' | 'json' | 'text';

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
  text: ['text/plain'],
};
const DOCUMENT: readonly Representation[] = ['yaml', 'json'];

/**
 * The representation in `offered` that the client prefers by its Accept header; undefined when it
 * takes none.
 */
export function representationOf(
  request: Pick<Request, 'headers' | 'accepts'>,
  offered: readonly Representation[] = DOCUMENT,
): Representation | undefined {
  const { accept } = request.headers;
  if (accept === undefined || accept === '*/*') return offered[0];
  if (accept.includes(',')) request.headers.accept = yamlFirst(accept);
  // `application/yaml;q=0, */*` does not accept YAML under its other names.
  const named = offered.flatMap((one) =>
    NAMES[one].filter((name, place) => place === 0 || accept.includes(name)),
  );
  const chosen = request.accepts(named);
  return offered.find((one) => chosen !== false && NAMES[one].includes(chosen));
}

/**
 * Checks before any work that the client takes one of the representations.
 *
 * @throws Problem `not-acceptable` (406) with the list of representations
 */
export function requireAcceptable<Params = Request['params']>(
  offered: readonly Representation[] = DOCUMENT,
): RequestHandler<Params> {
  return (request, _response, next) => {
    if (representationOf(request, offered) === undefined) {
      const types = offered.flatMap((one) => NAMES[one].slice(0, 1)).join(', ');
      throw new Problem(
        'not-acceptable',
        `The answer comes as one of ${types}; Accept is ` +
          `'${shown(request.headers.accept ?? '')}', which takes none of them.`,
      );
    }
    next();
  };
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
