import type { HttpRequest, Pair } from '../python/modules/requests/exchange.ts';
import {
  bool,
  finite,
  list,
  nullable,
  object,
  ShapeError,
  tagged,
  stringShape,
} from '../vortex/shape.ts';
import type { Shape } from '../vortex/shape.ts';

const pair: Shape<Pair> = (value, path) => {
  const [first, second, ...more] = list(stringShape)(value, path);
  if (first === undefined || second === undefined || more.length > 0)
    throw new ShapeError(path, 'a name and a value');
  return [first, second];
};

const body = tagged('kind', {
  text: object({ text: stringShape, type: nullable(stringShape) }),
  form: object({ fields: list(pair) }),
});

/** A request of rules. Throws ShapeError: it comes out of the isolate. */
export const httpRequest: Shape<HttpRequest> = object({
  method: stringShape,
  url: stringShape,
  params: list(pair),
  headers: list(pair),
  body: nullable(body),
  auth: nullable(pair),
  timeoutMs: nullable(finite),
  followsRedirects: bool,
});
