import type { Request, RequestHandler } from 'express';
import { shown } from '../../tasks/task.ts';
import { Problem } from '../../words/problem.ts';

/** How a document is written; `text` where a route has one for people. */
export type Representation = 'yaml' | 'json' | 'text';

/** By any of these names, in the order in which we would choose. */
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
 * What of `offered` the client likes best by its Accept header;
 * undefined when it takes none of them.
 */
export function representationOf(
  request: Pick<Request, 'headers' | 'accepts'>,
  offered: readonly Representation[] = DOCUMENT,
): Representation | undefined {
  const { accept } = request.headers;
  if (accept === undefined || accept === '*/*') return offered[0];
  if (accept.includes(',')) request.headers.accept = yamlFirst(accept);
  // `application/yaml;q=0, */*` does not mean YAML by its other names.
  const named = offered.flatMap((one) =>
    NAMES[one].filter((name, place) => place === 0 || accept.includes(name)),
  );
  const chosen = request.accepts(named);
  return offered.find((one) => chosen !== false && NAMES[one].includes(chosen));
}

/**
 * Before anything is decided: is there a representation that the client takes?
 *
 * @throws Problem `not-acceptable` (406) that names what there is
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
 * Of what a client likes as much the negotiator takes what it names first; with us YAML wins
 * then (EBT § content negotiation).
 */
function yamlFirst(accept: string): string {
  const isOther = (range: string): number => (/yaml/i.test(range) ? 0 : 1);
  return accept
    .split(',')
    .toSorted((one, other) => isOther(one) - isOther(other))
    .join(',');
}
